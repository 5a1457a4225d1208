import { relative } from 'node:path'

/** What Vitest's JSON reporter writes, as far as it is read here. */
export interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly VitestFile[]
}

interface VitestFile {
  readonly name: string
  readonly status: string
  /** The first error outside its tests: of a hook, or of loading the file. */
  readonly message?: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string; readonly failureMessages: string[] }[]
}

/** Each failed test, and each file whose hooks or imports failed, with the first line of its reason. */
export function failuresOf({ testResults }: Pick<VitestReport, 'testResults'>): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const failed = file.assertionResults.filter(({ status }) => status === 'failed')
      const reasons = failed.map(({ fullName, failureMessages: [why = ''] }) => `${fullName}: ${firstLine(why)}`)
      if (failsOutsideTests(file)) reasons.push(`outside its tests: ${firstLine(file.message ?? '') || 'it was not loaded'}`)
      return reasons.map((reason) => `  ${relative('.', file.name)} > ${reason}`)
    })
}

/** How many files failed although none of their tests did. */
export function filesThatFailed({ testResults }: Pick<VitestReport, 'testResults'>): number {
  return testResults.filter((file) => file.status === 'failed' && failsOutsideTests(file)).length
}

function failsOutsideTests({ assertionResults }: VitestFile): boolean {
  return assertionResults.every(({ status }) => status !== 'failed')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
