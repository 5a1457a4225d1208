import { randomUUID } from 'node:crypto'
import type { Field } from '../../operator/fields.ts'
import { attribute, type Html, html, type Part } from '../html.ts'
import type { Call } from '../route.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'calm'

/** A short word on a coloured ground. */
export function badge(text: string, tone: Tone = 'calm'): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** The tone of a status of the protocol. */
export function statusBadge(status: string): Html {
  return badge(status.replaceAll('_', ' '), TONES[status] ?? 'calm')
}

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  approved: 'good',
  ok: 'good',
  delivered: 'good',
  paid: 'good',
  settled: 'good',
  completed: 'calm',
  open: 'info',
  part_paid: 'info',
  pending: 'info',
  waiting: 'info',
  asked: 'info',
  pending_review: 'info',
  pending_approval: 'info',
  pending_creatives: 'warn',
  pending_start: 'info',
  paused: 'warn',
  payment_required: 'warn',
  suspended: 'warn',
  expired: 'calm',
  overdue: 'bad',
  rejected: 'bad',
  failed: 'bad',
  dead: 'bad',
  canceled: 'calm',
  revoked: 'bad',
}

/** A heading with what can be done on the page. */
export function heading(title: Part, actions: Part = undefined, lead: Part = undefined): Html {
  return html`<div class="heading"><div><h1>${title}</h1>${lead !== undefined && html`<p class="lead">${lead}</p>`}</div>${actions !== undefined && html`<div class="actions">${actions}</div>`}</div>`
}

export interface Column {
  readonly title: string
  readonly numeric?: boolean
}

/** A table that scrolls sideways by itself on small screens. A heading without a title is for the acts of a row. */
export function table(label: string, columns: readonly (Column | string)[], rows: readonly (readonly Part[])[]): Html {
  const heads = columns.map((column) => (typeof column === 'string' ? { title: column } : column))
  const isNumeric = heads.map(({ numeric = false }) => numeric)
  const head = heads.map(({ title, numeric }) =>
    title === '' ? html`<td></td>` : html`<th scope="col"${numeric === true && html` class="number"`}>${title}</th>`,
  )
  const body = rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, index) => html`<td${isNumeric[index] === true && html` class="number"`}>${cell}</td>`)}</tr>`,
  )
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** What a list says when there is nothing in it. */
export function empty(title: string, text: Part = undefined): Html {
  return html`<div class="empty"><p class="title">${title}</p>${text !== undefined && html`<p>${text}</p>`}</div>`
}

/** Names and values beside each other. */
export function facts(pairs: readonly (readonly [name: string, value: Part])[]): Html {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== null && value !== '')
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** A form with one button. */
export function act(
  { csrf }: Pick<Call, 'csrf'>,
  action: string,
  label: string,
  more: {
    readonly fields?: Readonly<Record<string, string>>
    readonly kind?: 'primary' | 'danger' | 'quiet'
    readonly name?: string
  } = {},
): Html {
  const fields = Object.entries(more.fields ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}" class="inline"><input type="hidden" name="csrf" value="${csrf}">${fields}<button class="${more.kind ?? 'quiet'}"${more.name !== undefined && html` aria-label="${more.name}"`}>${label}</button></form>`
}

/** The hidden field that every form needs. */
export function csrfField({ csrf }: Pick<Call, 'csrf'>): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`
}

/** A hidden id of this rendering of a form, by which `doOnce` recognizes a repeated submission. A form that is shown again after a refusal keeps its id. */
export function onceField({ form }: Pick<Call, 'form'>): Html {
  return html`<input type="hidden" name="form" value="${form.get('form') ?? randomUUID()}">`
}

/** A labelled text field. `id` is unique on the page. */
export function field(
  id: string,
  label: string,
  more: {
    readonly name?: string
    readonly type?: string
    readonly value?: string
    readonly hint?: string
    readonly autocomplete?: string
    readonly required?: boolean
    readonly autofocus?: boolean
    /** The field of an act that it gives: how long it may be, and what form it has, is written there. */
    readonly of?: Limited
  } = {},
): Html {
  const { name = id, type = 'text', value = '', autocomplete, required = false, autofocus = false, of } = more
  const hint = [of?.form ? ruleOf(of) : [], more.hint ?? []].flat().join(' ') || undefined
  return html`<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" value="${value}"${of && limits({ ...of, required: false })}${autocomplete !== undefined && html` autocomplete="${autocomplete}"`}${hint !== undefined && html` aria-describedby="${id}-hint"`}${required && html` required`}${attribute('autofocus', autofocus)}>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
}

/** The options of a list of values, in the order of their titles. Name the values as a type: one that has no title then does not compile. */
export function optionsOf<Value extends string>(
  titles: Readonly<Record<Value, string>>,
): readonly (readonly [value: string, title: string])[] {
  return Object.entries<string>(titles)
}

/** What says the limits of a field of an act. */
type Limited = Pick<Field<unknown>, 'schema' | 'words' | 'form'>

/** The limits of a field of an act, as attributes of the input that gives it. */
export function limits(field: Limited & Pick<Field<unknown>, 'required'>, isNeeded: boolean = field.required): Html {
  const { schema, form } = field
  const isMatched = form === 'as written'
  return html`${schema.maxLength !== undefined && html` maxlength="${String(schema.maxLength)}"`}${isMatched && html` pattern="${written(schema.pattern)}" title="${ruleOf(field)}"`}${attribute('required', isNeeded)}`
}

/** The pattern of a stored text as one for an input, which may have blanks around the text. A browser matches it with the whole text. */
function written(pattern: unknown): string {
  return `\\s*(?:${String(pattern).replace(/^\^|\$$/g, '')})\\s*`
}

/** What a text has to be, as a sentence. */
function ruleOf({ words }: Limited): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** A labelled text of several lines. */
export function textArea(
  id: string,
  label: string,
  value: string,
  {
    hint,
    required = false,
    autofocus = false,
    of,
  }: {
    readonly hint?: string
    readonly required?: boolean
    readonly autofocus?: boolean
    readonly of?: Limited
  } = {},
): Html {
  return html`<div class="field"><label for="${id}">${label}</label><textarea id="${id}" name="${id}" rows="4"${of && limits({ ...of, required: false })}${hint !== undefined && html` aria-describedby="${id}-hint"`}${attribute('required', required)}${attribute('autofocus', autofocus)}>${value}</textarea>${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
}

/** A labelled choice of one. */
export function choice(
  id: string,
  label: string,
  options: readonly (readonly [value: string, title: string])[],
  chosen: string,
  name = id,
  { autofocus = false }: { readonly autofocus?: boolean } = {},
): Html {
  const items = options.map(
    ([value, title]) => html`<option value="${value}"${value === chosen && html` selected`}>${title}</option>`,
  )
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}"${attribute('autofocus', autofocus)}>${items}</select></div>`
}

/** A number that stands out. */
export function figure(title: string, value: Part, note: Part = undefined): Html {
  return html`<div class="figure"><p class="name">${title}</p><p class="value">${value}</p>${note !== undefined && html`<p class="note">${note}</p>`}</div>`
}

/** Links to the first and the next page of a list at a path; the query holds its view. */
export function pager(path: string, query: URLSearchParams, next: string | null): Html | false {
  if (next === null && !query.has('cursor')) return false
  const first = new URLSearchParams(query)
  first.delete('cursor')
  const after = new URLSearchParams(first)
  if (next !== null) after.set('cursor', next)
  return html`<nav class="pages" aria-label="Pages of the list">${query.has('cursor') && html`<a class="button" href="${path}?${first.toString()}">First page</a>`}${next !== null && html`<a class="button" href="${path}?${after.toString()}">Next page</a>`}</nav>`
}
