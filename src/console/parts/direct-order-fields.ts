import type { DIRECT_PRICE_MODELS } from '../../ad-serving/embedded/direct-order.ts'
import type { Priority } from '../../ad-serving/embedded/line.ts'
import type { Pacing } from '../../domain/media-buy/order-request.ts'
import { MOST_IN_FORM, MOST_IN_ORDER } from '../../operator/size-limits.ts'
import {
  CREATIVE_KINDS,
  type CreativeField,
  type Draft,
  type DraftCreative,
  type DraftLine,
  fieldsOfKind,
} from '../direct-order-draft.ts'
import { hasTargeting } from '../direct-targeting.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, field, optionsOf, textArea } from './parts.ts'
import { targetingFields } from './targeting-fields.ts'

/** What the fields of a direct order are drawn with. */
export interface FieldsContext {
  readonly products: readonly (readonly [id: string, name: string])[]
  /** Id of the field that the person goes on with. */
  readonly focus?: string | undefined
}

const PRIORITIES = optionsOf<Priority>({
  guaranteed: 'Guaranteed: served first, held in the inventory',
  standard: 'Standard: by price',
  house: 'House: where nothing else is served',
})

const PACINGS = optionsOf<Pacing>({
  even: 'Even over the flight',
  asap: 'As fast as possible',
  front_loaded: 'More at first',
})

const PRICE_MODELS = optionsOf<(typeof DIRECT_PRICE_MODELS)[number] | ''>({
  '': 'A thousand impressions',
  vcpm: 'A thousand viewable impressions',
  cpc: 'Clicks',
  cpv: 'Videos seen to the half',
  cpcv: 'Videos seen to the end',
  flat_rate: 'The whole flight',
  per_day: 'A day',
})

const KINDS = Object.entries(CREATIVE_KINDS).map(([kind, { title }]) => [kind, title] as const)

/** The lines of a direct order, each with its creatives, and the buttons that add and remove them. */
export function lineFields({ lines }: Draft, context: FieldsContext): Html {
  const add =
    lines.length < MOST_IN_FORM.lines
      ? button('add-line', 'Add another line')
      : html`<p class="hint">The form takes ${MOST_IN_FORM.lines} lines; a file takes ${MOST_IN_ORDER.lines}.</p>`
  return html`${lines.map((line, index) => oneLine(line, index, lines.length > 1, context))}<p>${add}</p>`
}

function oneLine(
  { values, choices, creatives }: DraftLine,
  index: number,
  isRemovable: boolean,
  { products, focus }: FieldsContext,
): Html {
  const id = (name: string) => `line-${index}-${name}`
  const text = (name: string) => values[name] ?? ''
  const number = index + 1
  const exact = ['line_id', 'starts_at', 'ends_at'].filter((name) => text(name) !== '')
  const name = text('line_id') === '' ? `Line ${number}` : `Line ${number}: ${text('line_id')}`
  return html`<fieldset class="entry"><legend>${name}</legend>${exact.map((each) => html`<input type="hidden" name="${id(each)}" value="${text(each)}">`)}<div class="columns"><div>
${choice(id('product_id'), 'Product', products, text('product_id'), undefined, { autofocus: focus === id('product_id') })}
${choice(id('priority'), 'Priority', PRIORITIES, text('priority') || 'guaranteed')}</div><div>
${field(id('first'), 'First day', { type: 'date', value: text('first'), required: true })}
${field(id('last'), 'Last day', { type: 'date', value: text('last'), required: true })}</div><div>
${field(id('impressions'), 'Impressions', { value: text('impressions'), hint: 'A guaranteed line needs them.' })}
${choice(id('price_model'), 'Sold by', PRICE_MODELS, text('price_model'))}
${field(id('cpm'), 'Price', { value: text('cpm') || '0', hint: 'Of a thousand, of one, or of the whole flight.' })}</div><div>
${field(id('budget'), 'Budget', { value: text('budget'), hint: 'Empty: not limited. None for a flat price.' })}
${choice(id('pacing'), 'Pacing', PACINGS, text('pacing') || 'even')}</div></div>
<details class="more"${attribute('open', hasTargeting({ values, choices }))}><summary>Targeting of line ${number}</summary>${targetingFields({ values, choices }, id)}</details>
${creatives.length === 0 && html`<p class="hint">Without a creative the line holds its inventory, and nothing of it is served until one is added.</p>`}${creatives.map((creative, at) => oneCreative(creative, { line: index, at, focus }))}
<div class="add">${
    creatives.length < MOST_IN_FORM.creatives
      ? html`${choice(id('new_kind'), creatives.length === 0 ? `A creative of line ${number}` : `Another creative of line ${number}`, KINDS, text('new_kind') || 'picture', undefined, { autofocus: focus === id('new_kind') })}${button(`add-creative-${index}`, 'Add', `Add the creative to line ${number}`)}`
      : html`<p class="hint">The form takes ${MOST_IN_FORM.creatives} creatives of a line; a file takes ${MOST_IN_ORDER.creatives}.</p>`
  }${isRemovable && button(`remove-line-${index}`, `Remove line ${number}`)}</div></fieldset>`
}

function oneCreative(
  { kind, values }: DraftCreative,
  { line, at, focus }: { readonly line: number; readonly at: number; readonly focus: string | undefined },
): Html {
  const id = (name: string) => `line-${line}-creative-${at}-${name}`
  const fields = fieldsOfKind(kind).map((one) => creativeField(one, id(one.name), values[one.name] ?? '', focus === id(one.name)))
  return html`<fieldset class="entry"><legend>Creative ${at + 1} of line ${line + 1}: ${CREATIVE_KINDS[kind].title}</legend><input type="hidden" name="${id('kind')}" value="${kind}">${values.creative_id !== undefined && html`<input type="hidden" name="${id('creative_id')}" value="${values.creative_id}">`}<div class="columns">${fields}</div>${button(`remove-creative-${line}-${at}`, 'Remove', `Remove creative ${at + 1} of line ${line + 1}`)}</fieldset>`
}

function creativeField(
  { type = 'text', label, required, hint }: CreativeField,
  id: string,
  value: string,
  autofocus: boolean,
): Html {
  const more = { autofocus, ...(required && { required }), ...(hint !== undefined && { hint }) }
  if (type === 'code') return textArea(id, label, value, more)
  return field(id, label, { ...more, value, ...(type === 'url' && { type }) })
}

/** A button that changes the form and sends what is in it, complete or not. */
function button(act: string, label: string, name?: string): Html {
  return html`<button class="quiet" name="do" value="${act}" formnovalidate${name !== undefined && html` aria-label="${name}"`}>${label}</button>`
}
