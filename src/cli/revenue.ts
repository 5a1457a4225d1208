import { Command } from 'commander'
import { amountText } from '../operator/amount.ts'
import { type Revenue, type RevenueShare, showRevenue } from '../operator/reports/revenue.ts'
import { nothingReported } from './nothing-reported.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface RevenueOptions extends TenantOption {
  readonly from?: string
  readonly to?: string
  readonly sandbox?: boolean
  readonly json?: boolean
}

/** `sales-agent revenue`: what a publisher earned, beside the days before. */
export function revenueCommand(): Command {
  return withStoreOptions(new Command('revenue'))
    .option('--tenant <id>')
    .option('--from <day>', 'first day, YYYY-MM-DD (default: 30 days in all)')
    .option('--to <day>', 'last day, YYYY-MM-DD (default: today)')
    .option('--sandbox', 'also orders of sandbox agents, which cost no money')
    .option('--json')
    .action((options: RevenueOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const revenue = await showRevenue(operator, {
          tenantId,
          first: options.from,
          last: options.to,
          sandbox: options.sandbox,
        })
        print(options.json, revenue, revenueLines(revenue, options))
      }),
    )
}

/** Rows of each table: what earns less is in --json and in the delivery report. */
const MOST_ROWS = 10

function revenueLines({ first, last, before, currencies, products, buyers }: Revenue, options: RevenueOptions): string[] {
  if (currencies.length === 0) return [nothingReported('earned', { first: before.first, last }, options)]
  const rows = currencies.map(({ currency, revenue, revenue_before, impressions }) => [
    currency,
    amountText(revenue, currency),
    amountText(revenue_before, currency),
    revenue_before === 0 ? '' : `${revenue >= revenue_before ? '+' : ''}${Math.round((revenue / revenue_before - 1) * 100)} %`,
    String(impressions),
  ])
  const shares = (name: string, list: readonly RevenueShare[]) => [
    '',
    ...table(
      [name, 'REVENUE'],
      list.slice(0, MOST_ROWS).map(({ id, currency, revenue }) => [id, `${amountText(revenue, currency)} ${currency}`]),
    ),
  ]
  return [
    `${first} to ${last}, before: ${before.first} to ${before.last}`,
    '',
    ...table(['CURRENCY', 'REVENUE', 'BEFORE', 'CHANGE', 'IMPRESSIONS'], rows),
    ...shares('PRODUCT', products),
    ...shares('BUYER', buyers),
  ]
}
