import type { GetAccountFinancialsRequest, GetAccountFinancialsSuccess } from '@adcp/sdk/types'
import { billingCycle, financialsOf } from '../../domain/account/financials.ts'
import { requireFinancials, requirePeriod } from '../../domain/account/require-financials.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { defineTask } from '../../pipeline/task.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { financialFacts } from './account-charges.ts'
import { summarizeFinancials } from './summaries.ts'

export const getAccountFinancials = defineTask<GetAccountFinancialsRequest, GetAccountFinancialsSuccess>()({
  name: 'get_account_financials',
  access: 'authenticated',
  scope: 'accounts',
  account: 'required',
  summary: 'Spend, credit or balance, payment status and invoices of an account that is billed to its operator.',
  summarize: summarizeFinancials,
  async handle(request, { tx, principal, account, services, now }) {
    requireFinancials(account, principal.principalId)
    const timeZone = await deliveryZone(tx, account.tenantId)
    const today = localDay(now, timeZone)
    const period = request.period ? requirePeriod(request.period) : billingCycle(today)
    const facts = await financialFacts(
      { db: tx, adServers: services.adServers, conformance: services.wiring.conformance, timeZone, now },
      account,
    )
    return { account: request.account, ...financialsOf(facts, period, { today, timeZone }) }
  },
})
