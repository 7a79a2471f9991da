//! Tables on a terminal.

/// Which side of its column a cell keeps to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of text under a header.
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let (header, align) =
            columns.into_iter().map(|(name, align)| (name.to_owned(), align)).unzip();
        Self { align, rows: vec![header] }
    }

    /// Adds a row. Cells beyond the last column are dropped, missing ones are empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().take(self.align.len()).collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cell = |row: &[String], i: usize| row.get(i).cloned().unwrap_or_default();
        let width =
            |i| self.rows.iter().map(|row| cell(row, i).chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        for (n, row) in self.rows.iter().enumerate() {
            let line = widths.iter().zip(&self.align).enumerate().map(|(i, (&width, &align))| {
                let cell = cell(row, i);
                match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                }
            });
            writeln!(f, "{}", line.collect::<Vec<_>>().join("  ").trim_end())?;
            if n == 0 {
                let rule = widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>();
                writeln!(f, "{}", rule.join("  "))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new([("name", Align::Left), ("n", Align::Right)]);
        table.row(["a".into(), "100".into()]);
        table.row(["long name".into(), "1".into()]);
        let text = "name         n\n---------  ---\na          100\nlong name    1\n";
        assert_eq!(table.to_string(), text);
    }
}
