// What was delivered, in all and by line.
card.onResult = ({
  reporting_period: period,
  currency,
  aggregated_totals: totals,
  media_buy_deliveries: rows = [],
  errors = [],
}) => {
  render(
    el('h1', {}, 'Delivery'),
    period && el('p', { class: 'quiet' }, `${day(period.start)} to ${day(period.end)}`),
    errors.map((error) => el('p', { class: 'bad' }, wordsOf(error))),
    totals && rows.length > 1 && table('In all', [['', totals]], currency),
    rows.length === 0 ? el('p', {}, 'Nothing was delivered in this time.') : rows.map((row) => orderTable(row, currency)),
  )
}

function orderTable({ media_buy_id: id, totals, by_package: lines = [], currency }, common) {
  return table(
    `Order ${id}`,
    [...lines.map((line) => [line.package_name ?? line.package_id, line]), ['In all', totals ?? {}]],
    currency ?? common,
  )
}

const COLUMNS = [
  ['Impressions', ({ impressions }) => impressions !== undefined && number(impressions)],
  ['Clicks', ({ clicks }) => clicks !== undefined && number(clicks)],
  [
    'CTR',
    ({ ctr, clicks, impressions }) =>
      (ctr ?? (clicks !== undefined && impressions > 0)) !== false &&
      number(ctr ?? clicks / impressions, { style: 'percent', maximumFractionDigits: 2 }),
  ],
  ['Completed', ({ completed_views: completed }) => completed !== undefined && number(completed)],
  ['Spend', ({ spend }, currency) => spend !== undefined && money(spend, currency)],
]

/** Columns of which no row has a value are left out. */
function table(caption, rows, currency) {
  const used = COLUMNS.filter(([, of]) => rows.some(([, row]) => of(row, currency) !== false))
  return el(
    'table',
    {},
    el('caption', {}, caption),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, 'Line'),
        used.map(([name]) => el('th', { scope: 'col' }, name)),
      ),
    ),
    el(
      'tbody',
      {},
      rows.map(([name, row]) =>
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, name),
          used.map(([, of]) => el('td', {}, of(row, currency) || '–')),
        ),
      ),
    ),
  )
}
