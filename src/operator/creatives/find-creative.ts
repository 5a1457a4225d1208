import type { Creative } from '../../domain/creative/creative.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative, findTenantCreative } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { exact, required } from '../fields.ts'
import { buyerId } from '../named-buyer.ts'
import { idText } from '../text-form.ts'

/** Stands for no account. */
const NO_ACCOUNT = '-'

/** What names a creative: the buyer that uploaded it, an account of the buyer's, and its id there. */
export const CREATIVE = {
  buyer: required(buyerId('the buyer that uploaded it')),
  account: required(idText('the account that it is in, when the buyer has creatives of this id in several; - for none')),
  creative: required(exact(idText('its id'))),
}

/** How the command line takes {@link CREATIVE}: `COMMAND CREATIVE --buyer BUYER`, with `--account` where one is needed. */
export const CREATIVE_COMMAND = { args: ['creative'], defaults: { account: NO_ACCOUNT } } as const

/** Values of {@link CREATIVE}. */
export interface NamedCreative {
  readonly buyer: string
  readonly account: string
  readonly creative: string
}

/** The creative that is meant. Where no account is named, the one without an account, else the one of this id that was changed last. Throws CREATIVE_NOT_FOUND. */
export async function findNamedCreative(
  db: Db,
  tenantId: string,
  { buyer, account, creative }: NamedCreative,
): Promise<Creative> {
  const owner = { tenantId, principalId: buyer }
  const accountId = account === NO_ACCOUNT ? '' : account
  const found =
    (await findTenantCreative(db, { ...owner, accountId, creativeId: creative })) ??
    (accountId === '' ? await findCreative(db, { ...owner, accountId: undefined }, creative) : undefined)
  if (found) return found
  throw new AdcpError('CREATIVE_NOT_FOUND', `there is no creative ${creative} of ${buyer}`, { field: 'creative' })
}
