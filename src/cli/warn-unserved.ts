import type { ImportInput } from '../operator/imports/import-document.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { describeUnserved, describeUnservedAfter, UNSERVED_ADVICE } from '../operator/products/unserved-products.ts'

/** Says on standard error which products of a publisher its ad servers cannot serve, as `doctor` does. What was asked for is done all the same. */
export async function warnUnserved(operator: OperatorContext, tenantId: string): Promise<void> {
  await warn(describeUnserved(operator, tenantId))
}

/** The same of what an import would make of the products. */
export async function warnUnservedAfter(operator: OperatorContext, input: Omit<ImportInput, 'dryRun'>): Promise<void> {
  await warn(describeUnservedAfter(operator, input))
}

async function warn(described: Promise<string | undefined>): Promise<void> {
  const unserved = await described.catch((error: unknown) =>
    error instanceof Error ? `the ad servers cannot be loaded: ${error.message}` : String(error),
  )
  if (unserved !== undefined) process.stderr.write(`warning: ${unserved}; ${UNSERVED_ADVICE}\n`)
}
