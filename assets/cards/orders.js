// Orders with their lines and how far they are.
card.onResult = (data) => {
  const orders = data.media_buys ?? (data.media_buy_id === undefined ? [] : [data])
  if (data.task_id !== undefined && data.media_buys === undefined)
    return render(
      el('h1', {}, 'The order waits for the seller'),
      facts([
        ['Task', data.task_id],
        ['Message', data.message],
      ]),
    )
  render(
    el('h1', {}, orders.length === 0 ? 'No order' : orders.length === 1 ? 'Order' : `${number(orders.length)} orders`),
    el('ul', { class: 'rows' }, orders.map(orderRow)),
  )
}

function orderRow(order) {
  const { packages = [], currency } = order
  const total = order.total_budget ?? packages.reduce((sum, { budget }) => sum + (budget ?? 0), 0)
  const of = currency ?? packages.find((each) => each.currency)?.currency
  const status = order.media_buy_status ?? order.status
  const row = el(
    'li',
    { class: 'row' },
    el('h2', {}, order.media_buy_id),
    facts([
      [
        'Status',
        status === 'completed' && order.media_buy_status === undefined && packages.some(({ paused }) => paused !== undefined)
          ? undefined
          : words(status),
      ],
      ['Health', order.health && order.health !== 'ok' ? words(order.health) : undefined],
      ['Budget', money(typeof total === 'object' ? total.amount : total, of ?? total.currency)],
      ['Runs', order.start_time && `${day(order.start_time)} to ${day(order.end_time)}`],
    ]),
    packages.map((line) =>
      el(
        'p',
        { class: 'quiet' },
        [
          line.product_id,
          line.budget !== undefined && money(line.budget, line.currency ?? of),
          line.paused ? 'paused' : '',
          line.canceled ? 'cancelled' : '',
        ]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    (order.valid_actions ?? []).length > 0 &&
      el('p', { class: 'quiet' }, `You can: ${order.valid_actions.map(words).join(', ')}`),
    card.canCall &&
      el(
        'button',
        { type: 'button', onclick: ({ target }) => showPacing(order, target, row) },
        `Delivery of ${order.media_buy_id}`,
      ),
  )
  return row
}

async function showPacing(order, button, row) {
  button.disabled = true
  try {
    const { media_buy_deliveries: [found] = [], currency } = await callTool('get_media_buy_delivery', {
      media_buy_ids: [order.media_buy_id],
    })
    const { impressions = 0, clicks, spend = 0 } = found?.totals ?? {}
    const budget =
      order.total_budget?.amount ??
      order.total_budget ??
      (order.packages ?? []).reduce((sum, line) => sum + (line.budget ?? 0), 0)
    const share = budget > 0 ? Math.min(1, spend / budget) : 0
    button.replaceWith(
      el(
        'div',
        { role: 'status' },
        facts([
          ['Impressions', number(impressions)],
          ['Clicks', clicks === undefined ? undefined : number(clicks)],
          ['Spent', `${money(spend, currency)} of ${money(budget, currency)}`],
        ]),
        bar(share, `${number(share, { style: 'percent', maximumFractionDigits: 1 })} of the budget is spent`),
      ),
    )
  } catch (error) {
    button.disabled = false
    row.append(el('p', { class: 'bad', role: 'alert' }, error.message))
  }
}

function bar(share, label) {
  const filled = el('span', {})
  filled.style.width = `${share * 100}%`
  return el('div', { class: 'bar', role: 'img', 'aria-label': label }, filled)
}
