import type { OperatorContext } from '../operator/operator-context.ts'
import { unservedNotes } from '../operator/products/unserved-products.ts'

/** Says on standard error which products of a publisher its ad servers cannot serve, as `doctor` does. What was asked for is done all the same. */
export async function warnUnserved(operator: OperatorContext, tenantId: string): Promise<void> {
  for (const line of await unservedNotes(operator, tenantId)) process.stderr.write(`${line}\n`)
}
