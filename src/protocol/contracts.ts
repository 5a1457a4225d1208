import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Contract } from './contract.ts'
import type { ContractSource } from './contract-source.ts'
import { compareLines, parseVersion, type ReleaseVersion } from './release-version.ts'
import { RELEASES } from './releases.ts'

/** The contracts that can be served, ascending by release line. */
export class Contracts {
  /** The contract whose model the tasks are written in: the lowest line. */
  readonly base: Contract
  readonly all: readonly Contract[]

  constructor(contracts: readonly Contract[]) {
    const [base, ...later] = contracts.toSorted((a, b) => compareLines(a.line, b.line))
    if (!base) throw new Error('there is no contract of any release')
    this.base = base
    this.all = [base, ...later]
  }

  /** Looks that some release has each of these tasks, with its schemas; throws for one that none has. */
  require(tasks: readonly string[]): void {
    for (const task of tasks) if (this.having(task).length === 0) throw new Error(`no release that is served has a task ${task}`)
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

  /** The contracts that have a task, ascending. */
  having(task: string): readonly Contract[] {
    return this.all.filter((each) => each.has(task))
  }
}

/** Loads the contracts whose folders are there; a line that the build did not obtain is not served. */
export function loadContracts(sources: readonly ContractSource[] = RELEASES): Contracts {
  return new Contracts(
    sources.filter(({ folder }) => existsSync(join(folder, 'manifest.json'))).map((source) => new Contract(source)),
  )
}

function majorOfLine(line: string): number {
  return parseVersion(line)?.major ?? 0
}
