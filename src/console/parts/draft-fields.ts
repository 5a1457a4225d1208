import type { Draft, DraftedForm } from '../draft-of-product.ts'
import { attribute, type Html, html } from '../html.ts'
import { csrfField } from './parts.ts'

const DELIVERIES = [
  ['non_guaranteed', 'Not guaranteed'],
  ['guaranteed', 'Guaranteed'],
] as const

/** Drafts of products, each to be looked at, changed, taken or left out. `button`: absent for those who may not save them. */
export function draftsForm(
  call: { readonly csrf: string },
  path: string,
  { drafts, currency, formats, status }: DraftedForm,
  maySave: boolean,
): Html {
  const states = [
    ['paused', 'Paused: nobody can buy them until you put them on sale'],
    ['active', 'For sale at once'],
  ] as const
  const radios = states.map(
    ([value, title]) =>
      html`<label class="option"><input type="radio" name="status" value="${value}"${attribute('checked', value === status)}> ${title}</label>`,
  )
  const save = html`<fieldset class="field"><legend>After saving</legend>${radios}</fieldset><button class="primary">Save the ticked products</button>`
  return html`<form method="post" action="${path}">${csrfField(call)}<input type="hidden" name="currency" value="${currency}"><input type="hidden" name="formats" value="${formats.join(',')}">
${drafts.map((draft, at) => draftPanel(draft, at, currency))}
${maySave ? html`<section class="panel narrow">${save}</section>` : html`<p class="hint">Administrators save drafts.</p>`}</form>`
}

function draftPanel(draft: Draft, at: number, currency: string): Html {
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${`${name}-${at}`}" value="${value}">`
  const { sizes, offeredSizes, keyValues, why } = draft
  const boxes = offeredSizes.map(
    (size) =>
      html`<label class="option"><input type="checkbox" name="${`sizes-${at}`}" value="${size}"${attribute('checked', sizes.includes(size))}> ${size}</label>`,
  )
  const deliveries = DELIVERIES.map(
    ([value, title]) => html`<option value="${value}"${attribute('selected', value === draft.deliveryType)}>${title}</option>`,
  )
  return html`<section class="panel" aria-labelledby="${`draft-${at}`}"><h2 id="${`draft-${at}`}">${draft.name}</h2>
<label class="option"><input type="checkbox" name="${`take-${at}`}" value="yes" aria-label="${`Save ${draft.name}`}"${attribute('checked', draft.isTaken)}> Save this product</label>
<p class="hint">${why}</p>${hidden('units', draft.adUnits.join(','))}${hidden('offered', offeredSizes.join(','))}${hidden('keys', keyValues)}${hidden('why', why)}
<div class="columns"><div>${input(at, 'name', 'Name', draft.name, { max: 200 })}${input(at, 'id', 'Product id', draft.productId, { max: 100 })}${input(at, 'description', 'Description', draft.description, { max: 2000 })}</div>
<div>${input(at, 'price', `Price of a thousand impressions, in ${currency}`, draft.cpm, { mode: 'decimal' })}${input(at, 'capacity', 'Impressions a day', draft.dailyCapacity, { mode: 'numeric' })}
<div class="field"><label for="${`delivery-${at}`}">Delivery</label><select id="${`delivery-${at}`}" name="${`delivery-${at}`}">${deliveries}</select></div></div></div>
<fieldset class="field"><legend>Sizes of the placeholders</legend>${boxes}</fieldset>
${keyValues !== '' && html`<label class="option"><input type="checkbox" name="${`target-${at}`}" value="yes"${attribute('checked', draft.isTargeted)}> Only with the keys and values named above</label>`}</section>`
}

function input(
  at: number,
  name: string,
  label: string,
  value: string,
  { max, mode }: { readonly max?: number; readonly mode?: 'decimal' | 'numeric' },
): Html {
  const id = `${name}-${at}`
  return html`<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${id}" value="${value}"${max !== undefined && html` maxlength="${String(max)}"`}${mode !== undefined && html` inputmode="${mode}"`}></div>`
}
