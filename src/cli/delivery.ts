import { Command } from 'commander'
import { amountText } from '../operator/amount.ts'
import { type DeliveryReport, deliveryReport, REPORT_DIMENSIONS } from '../operator/reports/delivery-report.ts'
import { rebuildDelivery } from '../operator/reports/rebuild-delivery.ts'
import { reportCsv } from '../operator/reports/report-csv.ts'
import { nothingReported } from './nothing-reported.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ReportOptions extends TenantOption {
  readonly by: string
  readonly from?: string
  readonly to?: string
  readonly buyer?: string
  readonly product?: string
  readonly order?: string
  readonly sandbox?: boolean
  readonly csv?: boolean
  readonly json?: boolean
}

/** `sales-agent delivery report`. */
export function deliveryCommand(): Command {
  const delivery = new Command('delivery')
  withStoreOptions(
    delivery.command('report').description('delivery of a range of days of the publisher, by one to three dimensions'),
  )
    .option('--tenant <id>')
    .option('--by <list>', `comma-separated: ${REPORT_DIMENSIONS.join(', ')}`, 'order')
    .option('--from <day>', 'first day, YYYY-MM-DD (default: 30 days in all)')
    .option('--to <day>', 'last day, YYYY-MM-DD (default: today)')
    .option('--buyer <principal>', 'of one buyer agent')
    .option('--product <id>', 'of one product')
    .option('--order <id>', 'of one order')
    .option('--sandbox', 'also orders of sandbox agents, which cost no money')
    .option('--csv', 'print CSV')
    .option('--json')
    .action((options: ReportOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { by, from: first, to: last, buyer, product, order, sandbox } = options
        const query = { tenantId, by: by.split(','), first, last, buyer, product, order, sandbox }
        const report = await deliveryReport(operator, query)
        if (options.csv) process.stdout.write(reportCsv(report))
        else print(options.json, report, reportLines(report, options))
      }),
    )
  withStoreOptions(
    delivery.command('rebuild').description('make the daily sums again from the ledger, which reports and month close read'),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((options: ReportOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const rebuilt = await rebuildDelivery(operator, tenantId)
        print(options.json, rebuilt, [`days are counted in ${rebuilt.time_zone}; ${rebuilt.orders} orders were added`])
      }),
    )
  return delivery
}

function reportLines({ first, last, by, rows, totals }: DeliveryReport, options: ReportOptions): string[] {
  if (rows.length === 0) return [nothingReported('delivered', { first, last }, options)]
  const cells = ({ impressions, clicks, spent, currency }: DeliveryReport['totals'][number]) => [
    String(impressions),
    String(clicks),
    `${amountText(spent, currency)} ${currency}`,
  ]
  const body = rows.map((row) => [...by.map((name) => row.dimensions[name] ?? ''), ...cells(row)])
  const sums = totals.map((total) => [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)])
  const headings = [...by.map((name) => name.toUpperCase()), 'IMPRESSIONS', 'CLICKS', 'SPENT']
  return [`${first} to ${last}`, '', ...table(headings, [...body, ...sums])]
}
