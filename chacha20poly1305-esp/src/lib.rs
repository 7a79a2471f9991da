#![no_std]
//! Skeleton.
