import { openOperator } from '../compose/operator.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { configOf, type StoreOptions } from './store-options.ts'

/** Options of a command that works for one publisher. */
export interface TenantOption extends StoreOptions {
  readonly tenant?: string
}

/** Opens the store of a configuration, runs `work`, closes it. Throws INVALID_REQUEST when there is none and `create` is not set. */
export async function operate<T>(
  options: StoreOptions,
  work: (operator: OperatorContext) => Promise<T>,
  create = false,
): Promise<T> {
  const operator = await openOperator(configOf(options), { create })
  try {
    return await work(operator)
  } finally {
    await operator.close()
  }
}

/** The same for one publisher: the one that `--tenant` names, or the only one there is. Throws INVALID_REQUEST otherwise. */
export function operateFor<T>(
  options: TenantOption,
  work: (operator: OperatorContext, tenantId: string) => Promise<T>,
): Promise<T> {
  return operate(options, async (operator) => work(operator, await chooseTenant(operator, options.tenant)))
}
