import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { openOperator } from '../compose/operator.ts'
import type { Runnable } from '../operator/act.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import type { FieldSet } from '../operator/fields.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { perform } from '../operator/perform.ts'
import { hasStore } from '../operator/store/has-store.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Schemas } from '../protocol/schemas.ts'
import { configOf, type StoreOptions } from './store-options.ts'

/** Options of a command that works for one publisher. */
export interface TenantOption extends StoreOptions {
  readonly tenant?: string
}

/**
 * Opens the store of a configuration, runs `work`, closes it. `schemas`: those that the process has loaded already. Throws INVALID_REQUEST when there is none and
 * `create` is not set.
 */
export async function operate<T>(
  options: StoreOptions,
  work: (operator: OperatorContext) => Promise<T>,
  create = false,
  schemas?: Schemas,
): Promise<T> {
  const config = configOf(options, schemas)
  requireNoneOfOurs(options.out, config.data)
  const operator = await openOperator(config, { create })
  try {
    return await work(operator)
  } finally {
    await operator.close()
  }
}

/** Throws INVALID_REQUEST for a file to write that is in the data folder already: it may be the store, or the secret that opens it. */
function requireNoneOfOurs(out: string | undefined, data: string): void {
  if (out === undefined || !existsSync(out) || !existsSync(data)) return
  if (!`${realpathSync(out)}${sep}`.startsWith(`${realpathSync(data)}${sep}`) && !isLinkedFrom(data, out)) return
  throw new AdcpError('INVALID_REQUEST', `${out} is a file of the data folder, and would be lost; name another`, { field: 'out' })
}

/** Whether a file has another name (a hard link) in the folder. */
function isLinkedFrom(folder: string, file: string): boolean {
  const { dev, ino, nlink } = statSync(file)
  if (nlink < 2) return false
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => {
    const each = entry.isFile() ? lstatSync(join(entry.parentPath, entry.name)) : undefined
    return each?.ino === ino && each.dev === dev
  })
}

/** What works without a store too, and knows more with one. */
export async function operateIfStored<T>(
  options: StoreOptions,
  work: (
    context: Pick<OperatorContext, 'config' | 'clock'> & { readonly store: OperatorContext['store'] | undefined },
  ) => Promise<T>,
): Promise<T> {
  const config = configOf(options)
  if (await hasStore(config)) return operate(options, work)
  return work({ config, clock: () => new Date(), store: undefined })
}

/** The same for one publisher: the one that `--tenant` names, or the only one there is. Throws INVALID_REQUEST otherwise. */
export function operateFor<T>(
  options: TenantOption,
  work: (operator: OperatorContext, tenantId: string) => Promise<T>,
): Promise<T> {
  return operate(options, async (operator) => work(operator, await chooseTenant(operator, options.tenant)))
}

/** Carries an act out for the person at the command line: whoever may read the store is an administrator of the whole deployment. */
export async function performHere<F extends FieldSet, A extends object>(
  operator: OperatorContext,
  tenantId: string,
  act: Runnable<F, A>,
  members: Readonly<Record<string, unknown>>,
): Promise<A> {
  const caller = { actor: operator.actor, tenantId, role: 'administrator', deployment: true } as const
  const { answer } = await perform(operator, caller, act, members)
  return answer
}
