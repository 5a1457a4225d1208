import type { GetAccountFinancialsSuccess, ListAccountsResponse, SyncAccountsSuccess } from '@adcp/sdk/types'
import type { OtherCurrency } from '../../domain/account/shown-financials.ts'
import { outline } from '../../domain/summary/outline.ts'

/** sync_accounts: each account with what became of it. */
export const summarizeSyncedAccounts = (response: SyncAccountsSuccess): string =>
  outline(
    response,
    'Next: pass account {account_id}, or {brand, operator}, in the calls about it. Only an active account can buy.',
  )

/** list_accounts: each account with its status. */
export const summarizeAccounts = (response: ListAccountsResponse): string =>
  outline(response, 'Next: sync_accounts declares further ones.')

/** Unpaid invoices of another currency that a text names. */
const MOST_NAMED = 5

/** get_account_financials: the answer in its currency, and a sentence for each other one. */
export function summarizeFinancials(response: GetAccountFinancialsSuccess): string {
  const { other_currencies: others = [] }: { readonly other_currencies?: readonly OtherCurrency[] } = response.ext ?? {}
  return outline(response, undefined, { said: others.map(otherText) })
}

function otherText({ currency, total_spend: spend, owed, invoices = [] }: OtherCurrency): string {
  const unpaid = invoices.filter(({ status }) => status === 'past_due' || status === 'issued')
  const named = unpaid.slice(0, MOST_NAMED).map(({ invoice_id: id, amount, status }) => `${id} of ${amount} (${status})`)
  const left = unpaid.length - named.length
  const list = [...named, ...(left > 0 ? [`${left} more`] : [])].join(', ')
  const balance = owed < 0 ? `${-owed} paid beyond what is owed` : `${owed} owed`
  return `In ${currency} too (ext.other_currencies): ${balance}, spend ${spend}${list && `; unpaid invoices: ${list}`}.`
}
