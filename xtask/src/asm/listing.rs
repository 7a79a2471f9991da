//! Reading objdump's listing.

use std::collections::HashMap;
use std::fmt;

/// An instruction: its name and the rest of the line.
pub(super) struct Instruction {
    pub(super) mnemonic: String,
    pub(super) operands: String,
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.mnemonic, self.operands)
    }
}

/// A function: its name without the compiler's hash, its instructions, and whom it calls or jumps
/// to for good.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) instructions: Vec<Instruction>,
    pub(super) callees: Vec<String>,
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.name)?;
        self.instructions.iter().try_for_each(|instruction| writeln!(f, "    {instruction}"))
    }
}

/// The functions of a listing made with `--disassemble --reloc --no-show-raw-insn`.
pub(super) fn parse(text: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    // Registers that hold the address of a function, by a load from the global offset table.
    let mut held: HashMap<String, String> = HashMap::new();
    for line in text.lines() {
        if let Some(name) = header(line) {
            held.clear();
            let name = name.to_owned();
            functions.push(Function { name, instructions: Vec::new(), callees: Vec::new() });
            continue;
        }
        let Some(function) = functions.last_mut() else { continue };
        if let Some(symbol) = relocation(line) {
            let Some(last) = function.instructions.last() else { continue };
            match last.mnemonic.as_str() {
                // The relocation names what a call's operand cannot. A jump that needs one leaves
                // the function for good.
                "call" => {
                    function.callees.pop();
                    function.callees.push(symbol.to_owned());
                }
                "jmp" => function.callees.push(symbol.to_owned()),
                "mov" => {
                    held.insert(destination(last).to_owned(), symbol.to_owned());
                }
                _ => {}
            }
        } else if let Some(instruction) = instruction(line) {
            if instruction.mnemonic == "call" {
                let unknown = || format!("through {}", instruction.operands);
                let callee = held.get(&instruction.operands).cloned();
                function.callees.push(callee.unwrap_or_else(unknown));
            } else if instruction.mnemonic != "cmp" && instruction.mnemonic != "test" {
                held.remove(destination(&instruction));
            }
            function.instructions.push(instruction);
        }
    }
    functions
}

/// The first operand, which most instructions write to.
fn destination(instruction: &Instruction) -> &str {
    instruction.operands.split(',').next().unwrap_or_default()
}

/// `0000000000000000 <name>:`
fn header(line: &str) -> Option<&str> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    address.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(name)
}

/// `\t\t\t8: R_X86_64_PLT32\tname-0x4`; only those that name code.
fn relocation(line: &str) -> Option<&str> {
    let (place, symbol) = line.strip_prefix("\t\t\t")?.split_once('\t')?;
    let kind = place.split_once(": ")?.1;
    let code =
        ["R_X86_64_PLT32", "R_X86_64_GOTPCREL", "R_X86_64_GOTPCRELX", "R_X86_64_REX_GOTPCRELX"];
    code.contains(&kind).then(|| symbol.rsplit_once("-0x").map_or(symbol, |(name, _)| name))
}

/// `   7:\tcall   c <name+0xc>`
fn instruction(line: &str) -> Option<Instruction> {
    let (_, text) = line.split_once(":\t")?;
    let text = text.split('#').next().unwrap_or_default().trim();
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    Some(Instruction { mnemonic: mnemonic.to_owned(), operands: operands.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
Disassembly of section .text.a:

0000000000000000 <a::kernel>:
   0:\tpush   rbp
   1:\tvpaddd ymm0,ymm1,YMMWORD PTR [rip+0x0]        # 9 <a::kernel+0x9>
\t\t\t5: R_X86_64_PC32\t.rodata-0x4
   9:\tjmp    1 <a::kernel+0x1>
   b:\tcall   QWORD PTR [rip+0x0]        # 11 <a::kernel+0x11>
\t\t\td: R_X86_64_GOTPCREL\tmemset-0x4
  11:\tcall   rax
  13:\tjmp    18 <a::kernel+0x18>
\t\t\t14: R_X86_64_PLT32\tb::tail-0x4
  18:\tmov    r12,QWORD PTR [rip+0x0]        # 1f <a::kernel+0x1f>
\t\t\t1b: R_X86_64_REX_GOTPCRELX\tb::held-0x4
  1f:\tcall   r12
  22:\txor    r12,r12
  25:\tcall   r12

0000000000000000 <b::tail>:
   0:\tret
";

    #[test]
    fn calls_and_jumps_out_are_callees() {
        let functions = parse(LISTING);
        assert_eq!(functions.len(), 2);
        assert_eq!(functions[0].name, "a::kernel");
        assert_eq!(
            functions[0].callees,
            ["memset", "through rax", "b::tail", "b::held", "through r12"]
        );
        assert_eq!(functions[0].instructions.len(), 10);
        assert_eq!(functions[0].instructions[1].operands, "ymm0,ymm1,YMMWORD PTR [rip+0x0]");
        assert!(functions[1].callees.is_empty());
    }
}
