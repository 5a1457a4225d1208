import { PLACEMENT_FIELDS } from '../../operator/placements/placement-shapes.ts'
import type { LineTexts } from '../direct-targeting.ts'
import { attribute, type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { type Inputs, shownField } from '../shown-form.ts'
import { choice, csrfField, field } from './parts.ts'
import { targetingFields } from './targeting-fields.ts'

/** What stands in the form of a placement, by the names of its fields. */
export type PlacementTexts = Readonly<Partial<Record<keyof typeof PLACEMENT_FIELDS, string>>>

const KINDS = [
  ['display', 'Display: banners of certain sizes'],
  ['native', 'Native: cards in the style of the page'],
  ['video', 'Video: a player asks for VAST'],
] as const

const STATUSES = [
  ['active', 'Active: shows ads'],
  ['paused', 'Paused: shows none'],
] as const

interface Form {
  readonly values: PlacementTexts
  readonly targeting: LineTexts
  readonly isNew: boolean
  /** Of the placement, or of all. */
  readonly path: string
  /** Whether the targeting is shown at once. */
  readonly isOpen: boolean
  /** What is stored of the one that is changed. */
  readonly stored?: Inputs | undefined
}

/** The form in which a placement is set up or changed. */
export function placementForm(call: TenantCall, { values, targeting, isNew, path, isOpen, stored }: Form): Html {
  const text = (name: keyof typeof PLACEMENT_FIELDS) => values[name] ?? ''
  const id =
    isNew &&
    field('placement', 'Id', {
      value: text('placement'),
      of: PLACEMENT_FIELDS.placement,
      required: true,
      hint: 'Tags ask for it, without blanks; it stays for good.',
    })
  return html`<section class="panel"><form method="post" action="${path}/${isNew ? 'new' : 'edit'}">${csrfField(call)}${stored && shownField(stored)}<div class="cells">${id}
${field('name', 'Name', { value: text('name'), of: PLACEMENT_FIELDS.name, required: true, hint: 'What your people and buyers call it.' })}
${choice('kind', 'Shows', KINDS, text('kind'))}
${field('sizes', 'Sizes', { value: text('sizes'), hint: 'Of display, such as 970x250, 300x250. Empty: whatever the page says.' })}
${choice('status', 'Status', STATUSES, text('status'))}
${field('daily_capacity', 'Impressions a day', { value: text('daily_capacity'), hint: 'What it has to sell, as far as you know.' })}
${field('available_from', 'First day', { value: text('available_from'), type: 'date', hint: 'Empty: from now on.' })}
${field('available_until', 'Last day', { value: text('available_until'), type: 'date', hint: 'Empty: for good.' })}</div>
<details class="more"${attribute('open', isOpen)}><summary>Visits on which it shows ads, and how often one visitor sees a line</summary>
<div class="field"><p class="hint">Empty: every visit. With a number of impressions for one visitor, only visitors that the page names see ads here.</p></div>${targetingFields(targeting, (name) => `targeting-${name}`)}</details>
<button class="primary">${isNew ? 'Add the placement' : 'Save the changes'}</button> <a class="button" href="${path}">Leave it as it is</a></form></section>`
}
