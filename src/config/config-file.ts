import { readFileSync } from 'node:fs'
import { readYaml } from '../platform/decode/yaml-document.ts'

/** One thing that is wrong with the configuration: where, and why. */
export interface ConfigProblem {
  /** Dotted key, e.g. `log.level`; empty for the file as a whole. */
  readonly key: string
  readonly message: string
  /** 1-based line of the file, when the value came from it. */
  readonly line?: number
  /** `file`, or the environment variable. */
  readonly source: string
}

/** What a configuration file says, and the line on which it says it. */
export interface ConfigFile {
  readonly value: Readonly<Record<string, unknown>>
  readonly problems: readonly ConfigProblem[]
  /** 1-based line of the value at a JSON Pointer, or of what is nearest above it. */
  lineOf(pointer: string): number | undefined
}

/** Reads a configuration file; what is wrong with it is among `problems`. JSON is YAML, so one parser reads both and knows the line of every value. */
export function readConfigFile(path: string): ConfigFile {
  const unreadable = (problem: Omit<ConfigProblem, 'key' | 'source'>): ConfigFile => ({
    value: {},
    problems: [{ key: '', source: path, ...problem }],
    lineOf: () => undefined,
  })
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return unreadable({ message: 'cannot be read' })
  }
  const { value = {}, problems, lineOf } = readYaml(text)
  const settings = value ?? {}
  if (typeof settings !== 'object' || Array.isArray(settings))
    return unreadable({ message: 'must be a mapping of settings', line: 1 })
  return { value: { ...settings }, problems: problems.map((problem) => ({ key: '', ...problem, source: path })), lineOf }
}
