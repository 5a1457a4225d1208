// Products to choose from, and an order of one of them, which is placed when a person confirms it.
let answer = {}

card.onResult = (data) => {
  answer = data
  showProducts()
}

function showProducts() {
  const { products = [], errors = [] } = answer
  render(
    el(
      'h1',
      {},
      products.length === 0 ? 'No product fits' : `${number(products.length)} ${products.length === 1 ? 'product' : 'products'}`,
    ),
    errors.map((error) => el('p', { class: 'quiet' }, wordsOf(error))),
    el('ul', { class: 'rows' }, products.map(productRow)),
  )
}

function productRow(product) {
  const places = product.ext?.reach?.countries ?? []
  return el(
    'li',
    { class: 'row' },
    el('h2', {}, product.name),
    el('p', {}, product.description),
    (product.pricing_options ?? []).map((option) => el('p', { class: 'price' }, priceOf(option))),
    el(
      'p',
      { class: 'quiet' },
      [words(product.delivery_type), (product.channels ?? []).join(', '), places.length > 0 && `reaches ${places.join(', ')}`]
        .filter(Boolean)
        .join(' · '),
    ),
    forecastOf(product) && el('p', { class: 'quiet' }, forecastOf(product)),
    product.brief_relevance && el('p', { class: 'quiet' }, product.brief_relevance),
    card.canCall &&
      (product.pricing_options ?? []).length > 0 &&
      el('button', { type: 'button', onclick: () => showForm(product) }, `Choose ${product.name}`),
  )
}

function priceOf({
  pricing_model: model,
  currency,
  fixed_price: fixed,
  floor_price: floor,
  price_guidance: guidance,
  min_spend_per_package: least,
}) {
  const price =
    fixed !== undefined
      ? `${money(fixed, currency)} ${words(model).toUpperCase()}`
      : `${words(model).toUpperCase()} by auction${floor !== undefined ? `, from ${money(floor, currency)}` : guidance?.p50 !== undefined ? `, about ${money(guidance.p50, currency)}` : ` in ${currency}`}`
  return least === undefined ? price : `${price}, at least ${money(least, currency)}`
}

/** The estimate of impressions of the last point, which is of the largest budget. */
function forecastOf({ forecast }) {
  const point = forecast?.points?.at(-1)
  const { low, mid, high } = point?.metrics?.impressions ?? {}
  const shown = mid ?? high ?? low
  if (shown === undefined) return undefined
  return `estimate: ${number(shown)} impressions${point.budget === undefined ? '' : ` for ${money(point.budget, forecast.currency)}`}`
}

const isoDay = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

async function showForm(product, kept = {}, problem = undefined) {
  let accounts
  try {
    accounts =
      (await callTool('list_accounts', {})).accounts?.filter(({ status }) => status === undefined || status === 'active') ?? []
  } catch (error) {
    return render(
      el('p', { class: 'bad', role: 'alert' }, error.message),
      el('button', { type: 'button', onclick: showProducts }, 'Back to the products'),
    )
  }
  if (accounts.length === 0)
    return render(
      el(
        'p',
        { role: 'alert' },
        'You have no active account with this seller yet. Ask the assistant to declare one (sync_accounts), then choose again.',
      ),
      el('button', { type: 'button', onclick: showProducts }, 'Back to the products'),
    )
  const [first] = product.pricing_options
  const control = (label, tag, attributes, ...children) =>
    el('label', {}, label, el(tag, { required: true, ...attributes }, ...children))
  const options = product.pricing_options.map((option, index) => el('option', { value: String(index) }, priceOf(option)))
  const bid = el(
    'label',
    { hidden: first.fixed_price !== undefined },
    'Your bid',
    el('input', { name: 'bid', inputmode: 'decimal', value: kept.bid ?? '' }),
  )
  const onprice = ({ target }) => {
    bid.hidden = product.pricing_options[Number(target.value)].fixed_price !== undefined
  }
  const go = () => review(product, accounts, Object.fromEntries(new FormData(form)))
  // Hosts sandbox a card without forms: it submits nothing.
  const form = el(
    'form',
    {
      onsubmit: (event) => event.preventDefault(),
      onkeydown: (event) => {
        if (event.key === 'Enter' && event.target.tagName === 'INPUT') {
          event.preventDefault()
          go()
        }
      },
    },
    problem && el('p', { class: 'bad', role: 'alert' }, problem),
    control(
      'Account',
      'select',
      { name: 'account' },
      accounts.map((account, index) => el('option', { value: String(index) }, account.name ?? account.account_id)),
    ),
    control('Price', 'select', { name: 'price', onchange: onprice }, options),
    bid,
    control(`Budget in ${first.currency}`, 'input', {
      name: 'budget',
      inputmode: 'decimal',
      value: kept.budget ?? String(first.min_spend_per_package ?? ''),
      'data-focus': true,
    }),
    control('First day', 'input', { name: 'from', type: 'date', value: kept.from ?? isoDay(1) }),
    control('Last day', 'input', { name: 'until', type: 'date', value: kept.until ?? isoDay(14) }),
    el(
      'div',
      { class: 'actions' },
      el('button', { class: 'main', type: 'button', onclick: go }, 'Review the order'),
      el('button', { type: 'button', onclick: showProducts }, 'Back to the products'),
    ),
  )
  if (kept.price) form.elements.price.value = kept.price
  if (kept.account) form.elements.account.value = kept.account
  onprice({ target: form.elements.price })
  render(el('h1', {}, product.name), form)
}

/** An amount as people type it: spaces and one decimal sign. */
function amountOf(text) {
  const plain = text.replaceAll(/[\s ]/g, '').replace(/,(\d{1,2})$/, '.$1')
  return /^\d+(\.\d+)?$/.test(plain) && Number(plain) > 0 ? Number(plain) : undefined
}

function review(product, accounts, form) {
  const option = product.pricing_options[Number(form.price)]
  const account = accounts[Number(form.account)]
  const again = (problem) => showForm(product, form, problem)
  const budget = amountOf(form.budget)
  if (budget === undefined) return again(`The budget is a number, e.g. 5000; "${form.budget}" is not.`)
  const bid = option.fixed_price === undefined ? amountOf(form.bid ?? '') : undefined
  if (option.fixed_price === undefined && bid === undefined)
    return again('This price is found by auction: write the most that you pay, e.g. 12.50.')
  if (form.until < form.from) return again('The last day is before the first one.')
  const brand = account.brand ?? card.input.brand
  if (!brand) return again('The account names no brand. Ask the assistant to order for it.')
  const order = {
    ...(answer.adcp_version && { adcp_version: answer.adcp_version }),
    idempotency_key: crypto.randomUUID(),
    account: { account_id: account.account_id },
    brand,
    start_time: `${form.from}T00:00:00Z`,
    end_time: `${form.until}T23:59:59Z`,
    packages: [
      {
        product_id: product.product_id,
        pricing_option_id: option.pricing_option_id,
        budget,
        ...(bid !== undefined && { bid_price: bid }),
      },
    ],
  }
  const place = el(
    'button',
    { class: 'main', type: 'button', 'data-focus': true, onclick: () => buy(order, place, option.currency) },
    `Place the order for ${money(budget, option.currency)}`,
  )
  render(
    el('h1', {}, 'Confirm the order'),
    facts([
      ['Product', product.name],
      ['Price', priceOf(option)],
      ['Your bid', bid === undefined ? undefined : money(bid, option.currency)],
      ['Budget', money(budget, option.currency)],
      ['Runs', `${form.from} to ${form.until} (UTC)`],
      ['Account', account.name ?? account.account_id],
      ['Brand', brand.domain],
      ['Sandbox', account.sandbox ? 'yes: nothing is spent' : undefined],
    ]),
    el('p', { class: 'quiet' }, 'Nothing is ordered before you press the button.'),
    el('div', { class: 'actions' }, place, el('button', { type: 'button', onclick: () => showForm(product, form) }, 'Change it')),
  )
}

/** Sends the order; a second press, or a retry after a lost answer, repeats the same idempotency key and so orders once. */
async function buy(order, button, currency) {
  button.disabled = true
  const actions = button.parentElement
  actions.querySelector('[role]')?.remove()
  try {
    const made = await callTool('create_media_buy', order)
    const isOpen = made.media_buy_id === undefined
    const text = isOpen ? `The order waits for the seller (task ${made.task_id}).` : `Order ${made.media_buy_id} is placed.`
    tellModel(`${text} Budget ${money(order.packages[0].budget, currency)}.`, {
      media_buy_id: made.media_buy_id,
      task_id: made.task_id,
      status: made.status,
    })
    render(
      el('div', { role: 'status' }, el('h1', { class: isOpen ? undefined : 'good' }, text)),
      facts([
        ['Status', words(made.media_buy_status ?? made.status)],
        ['Message', made.message],
      ]),
      el('div', { class: 'actions' }, el('button', { type: 'button', onclick: showProducts }, 'Back to the products')),
    )
  } catch (error) {
    button.disabled = false
    actions.append(el('p', { class: 'bad', role: 'alert' }, `Not ordered: ${error.message}`))
  }
}
