import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, and the machine on which its number means this process and no other. */
export interface ProcessName {
  /** Without spaces. */
  readonly machine: string
  readonly pid: number
}

/**
 * The running process. On Linux the machine is one boot of a kernel and one namespace of process numbers: two containers may share a host name,
 * and each has a process 1 (proc(5): boot_id; pid_namespaces(7)). Elsewhere it is the host name.
 */
export function processName(): ProcessName {
  return { machine: linuxMachine() ?? hostname().replaceAll(/\s/g, '-'), pid: process.pid }
}

function linuxMachine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}
