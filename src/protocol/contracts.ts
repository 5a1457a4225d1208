import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Contract } from './contract.ts'
import type { ContractSource } from './contract-source.ts'
import type { LineConverter } from './converters/line-converter.ts'
import { compareLines, parseVersion, type ReleaseVersion } from './release-version.ts'
import { RELEASES } from './releases.ts'

/** The contracts that can be served, ascending by release line. */
export class Contracts {
  /** The contract whose model the tasks are written in. */
  readonly base: Contract
  /** Of a call that names no release: the lowest line. */
  readonly default: Contract
  readonly all: readonly Contract[]

  /** `base` is given where the lowest line is not among those that are offered. */
  constructor(contracts: readonly Contract[], base?: Contract) {
    const [lowest, ...later] = contracts.toSorted((a, b) => compareLines(a.line, b.line))
    if (!lowest) throw new Error('there is no contract of any release')
    this.base = base ?? lowest
    this.default = lowest
    this.all = [lowest, ...later]
  }

  /** Checks that some release has each of these tasks, with its schemas; throws for one that none has. */
  require(tasks: readonly string[]): void {
    for (const task of tasks) if (this.having(task).length === 0) throw new Error(`no release that is served has a task ${task}`)
  }

  /** The contracts of these lines; all of them when none is named or none of them is served. */
  only(lines: readonly string[] | undefined): Contracts {
    const chosen = lines === undefined ? [] : this.all.filter(({ line }) => lines.includes(line))
    return chosen.length === 0 || chosen.length === this.all.length ? this : new Contracts(chosen, this.base)
  }

  /** Release lines, ascending. */
  get lines(): readonly string[] {
    return this.all.map(({ line }) => line)
  }

  /** Major versions, ascending. */
  get majors(): readonly number[] {
    return [...new Set(this.all.map(({ line }) => majorOfLine(line)))]
  }

  /** The contract of a line, e.g. one that was stored with work that is still open. */
  find(line: string): Contract | undefined {
    return this.all.find((each) => each.line === line)
  }

  /**
   * The contract that serves a version: of that very release, else the highest one of the same major that is not above it. Undefined when there is none
   * (AdCP versioning, "Release negotiation").
   */
  negotiate({ major, minor }: ReleaseVersion): Contract | undefined {
    return this.all.findLast(({ line }) => {
      const served = parseVersion(line)
      return served !== undefined && served.major === major && served.minor <= minor
    })
  }

  /** The contract that serves a version as it was sent with work that was accepted then; the one of the lowest line where none does. */
  serving(version: string | undefined): Contract {
    const parsed = version === undefined ? undefined : parseVersion(version)
    return (parsed && this.negotiate(parsed)) ?? this.default
  }

  /** The contracts that have a task, ascending. */
  having(task: string): readonly Contract[] {
    return this.all.filter((each) => each.has(task))
  }
}

/** The converters of the lines up to one, and of those after it, ascending, those of lines that are not served included. */
export function stepsAround(
  line: string,
  sources: readonly ContractSource[] = RELEASES,
): { readonly steps: readonly LineConverter[]; readonly after: readonly LineConverter[] } {
  const ascending = sources.toSorted((a, b) => compareLines(a.line, b.line))
  const first = ascending.findIndex((each) => compareLines(each.line, line) > 0)
  const count = first < 0 ? ascending.length : first
  const convertersOf = (some: readonly ContractSource[]) => some.flatMap(({ converter }) => converter ?? [])
  return { steps: convertersOf(ascending.slice(0, count)), after: convertersOf(ascending.slice(count)) }
}

/** Loads the contracts whose folders are there; a line that the build did not obtain is not served. */
export function loadContracts(sources: readonly ContractSource[] = RELEASES): Contracts {
  const isThere = ({ folder }: ContractSource) => existsSync(join(folder, 'manifest.json'))
  return new Contracts(
    sources.filter(isThere).map((source) => {
      const { steps, after } = stepsAround(source.line, sources)
      return new Contract(source, steps, after)
    }),
  )
}

function majorOfLine(line: string): number {
  return parseVersion(line)?.major ?? 0
}
