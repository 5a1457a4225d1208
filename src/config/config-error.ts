import type { ConfigProblem } from './config-file.ts'

/** Thrown with every problem found, so that one run is enough to mend them all. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describe).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

function describe({ key, line, message, source }: ConfigProblem): string {
  return `${source}${line === undefined ? '' : `, line ${line}`}: ${key === '' ? '' : `${key} `}${message}`
}
