import type { ImportInput } from '../imports/import-document.ts'
import type { FileProblem } from '../imports/import-problems.ts'
import type { OperatorContext } from '../operator-context.ts'
import { withProductTable } from './product-table.ts'
import { readImport } from './read-import.ts'

export type { FileProblem }

/** Every problem of a product file, by line and column where it is a table; empty when it can be imported. */
export async function productFileProblems(
  context: OperatorContext,
  input: Omit<ImportInput, 'dryRun'>,
): Promise<readonly FileProblem[]> {
  const file = await withProductTable(input.file)
  const { result } = await readImport(context.store.read, context, { ...input, file })
  return result.ok ? [] : result.problems
}
