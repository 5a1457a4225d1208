import { outline } from '../../domain/summary/outline.ts'
import { joined, remaining, summaryText } from '../../domain/summary/summary-text.ts'

/** sync_creatives: each creative with what became of it. */
export const summarizeSyncedCreatives = (response: object): string =>
  outline(
    response,
    'Next: list_creatives shows the review; update_media_buy or sync_creatives assignments put approved ones into packages.',
  )

/** What the text says of a creative of the library. */
interface ListedRow {
  readonly creative_id: string
  readonly name: string
  readonly status: string
  readonly suspended?: boolean
  readonly format_id?: { readonly id: string }
  readonly purge?: object
  readonly assignments?: { readonly assignment_count: number }
}

/** An answer of list_creatives. */
interface Listed {
  readonly creatives?: readonly ListedRow[]
  readonly pagination?: Parameters<typeof remaining>[0]
}

const NEXT_OF_LIST = 'Next: filters.creative_ids shows the assets of a creative.'
const NEXT_OF_NONE = 'Next: list_creatives without filters shows your library; sync_creatives adds to it.'

/** list_creatives: each creative with its review status, its format and in how many packages it is; one alone is shown whole, in the words of the release that it is `shown` in. */
export function summarizeCreatives(response: Listed, shown: object = response): string {
  const { creatives = [], pagination } = response
  // What a creative has is shown where it is named: it is there already.
  const next = creatives.length === 0 ? NEXT_OF_NONE : creatives.every((row) => 'assets' in row) ? '' : NEXT_OF_LIST
  if (creatives.length < 2) return outline(shown, ...(next === '' ? [] : [next]))
  return summaryText({
    head: `${creatives.length} creatives:`,
    rows: creatives.map((row) => ({ full: creativeLine(row, row.name), brief: creativeLine(row) })),
    after: [remaining(pagination), next],
  })
}

function creativeLine(
  { creative_id: id, status, suspended, purge, format_id: format, assignments }: ListedRow,
  name?: string,
): string {
  const count = assignments?.assignment_count
  const state = purge ? 'purged' : suspended ? 'suspended' : status
  const packages = count !== undefined && `in ${count} ${count === 1 ? 'package' : 'packages'}`
  return `${id}: ${joined([state, name, format?.id, packages], '; ')}`
}
