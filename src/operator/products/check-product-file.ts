import { loadCustomFormats } from '../../store/creative/custom-formats.ts'
import type { ImportFile } from '../imports/import-document.ts'
import type { FileProblem } from '../imports/import-problems.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { FileProblem }

/** Every problem of a product file, by line and column where it is a table; empty when it can be imported. */
export async function productFileProblems(
  { store, schemas }: OperatorContext,
  tenantId: string,
  file: ImportFile,
): Promise<readonly FileProblem[]> {
  const ownFormats = (await loadCustomFormats(store.read, tenantId)).map(({ id }) => id)
  const { readProductFile } = await import('./product-file.ts')
  const read = readProductFile(file, schemas, ownFormats)
  return read.ok ? [] : read.problems
}
