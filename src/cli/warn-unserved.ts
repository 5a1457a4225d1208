import type { OperatorContext } from '../operator/operator-context.ts'
import { describeUnserved, UNSERVED_ADVICE } from '../operator/products/unserved-products.ts'

/** Says on standard error which products of a publisher its ad servers cannot serve, as `doctor` does. What was asked for is done all the same. */
export async function warnUnserved(operator: OperatorContext, tenantId: string): Promise<void> {
  const unserved = await describeUnserved(operator, tenantId).catch((error: unknown) =>
    error instanceof Error ? `the ad servers cannot be loaded: ${error.message}` : String(error),
  )
  if (unserved !== undefined) process.stderr.write(`warning: ${unserved}; ${UNSERVED_ADVICE}\n`)
}
