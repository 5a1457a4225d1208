import { randomUUID } from 'node:crypto'
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

/** Names what runs in this process as the owner of a claim or lease: `<machine> <pid> <id>`, so that every process on the machine can ask whether it still runs. */
export function ownerName(own: ProcessName = processName()): string {
  return `${own.machine} ${own.pid} ${randomUUID()}`
}

/** The process of an owner on this machine; undefined for one elsewhere, and for a name of another form. */
export function localPid(owner: string, own: ProcessName = processName()): number | undefined {
  const [machine, pid, id] = owner.split(' ')
  return id === undefined || machine !== own.machine ? undefined : Number(pid)
}

/** Whether the process of an owner was one of this machine and has ended. */
export function ownerHasEnded(owner: string, own: ProcessName = processName()): boolean {
  const pid = localPid(owner, own)
  return pid !== undefined && pid !== own.pid && hasEnded(pid)
}

/** An owner in words: `process 4711 on this machine`. */
export function describeOwner(owner: string, own: ProcessName = processName()): string {
  const [machine, pid, id] = owner.split(' ')
  if (id === undefined) return owner
  return `process ${pid} on ${machine === own.machine ? 'this' : 'another'} machine`
}

/** Signal 0 only asks (POSIX kill): ESRCH says that there is no such process, EPERM that there is one of another user. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
