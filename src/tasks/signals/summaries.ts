import { outline } from '../../domain/summary/outline.ts'
import { joined, remaining, summaryText } from '../../domain/summary/summary-text.ts'
import { type VendorPrice, vendorPriceWords } from '../../domain/vendor-price.ts'

/** What the text says of a signal. */
interface ListedRow {
  readonly signal_agent_segment_id: string
  readonly name: string
  readonly coverage_percentage?: number
  readonly pricing_options?: readonly VendorPrice[]
  readonly deployments: readonly { readonly platform?: string; readonly agent_url?: string; readonly is_live: boolean }[]
}

/** An answer of get_signals; `signals` is absent where nothing changed, as `unchanged` says. */
interface Listed {
  readonly unchanged?: true
  readonly signals?: readonly ListedRow[]
  readonly pagination?: Parameters<typeof remaining>[0]
}

const NEXT =
  'Next: activate_signal with signal_agent_segment_id, pricing_option_id and destinations; signal_ids of one shows all that it has.'

/** get_signals: each signal with its name, coverage, prices and where it is live; one alone is shown whole. */
export function summarizeSignals(response: Listed): string {
  const { signals = [], pagination, ...others } = response
  if (signals.length < 2) return outline(response)
  return summaryText({
    head: `${signals.length} signals:`,
    rows: signals.map((signal) => ({ full: signalLine(signal, signal.name), brief: signalLine(signal) })),
    after: [outline(others), remaining(pagination), NEXT],
  })
}

function signalLine(
  { signal_agent_segment_id: id, coverage_percentage: coverage, pricing_options: prices = [], deployments }: ListedRow,
  name?: string,
): string {
  const live = deployments.flatMap(({ platform, agent_url: url, is_live: isLive }) => (isLive ? [platform ?? url] : []))
  const reach = coverage !== undefined && `${coverage}%`
  const parts = [name, reach, prices.map(vendorPriceWords).join(', '), live.length > 0 && `live on ${live.join(', ')}`]
  return `${id}: ${joined(parts, '; ')}`
}
