import { CAP_UNITS, type LineTexts, TARGETING_FIELDS, type TargetingField } from '../direct-targeting.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, field, textArea } from './parts.ts'

/** A field for each dimension that the embedded ad server keeps; `id`: of the field of a member. */
export function targetingFields({ values, choices }: LineTexts, id: (name: string) => string): Html {
  const fields = TARGETING_FIELDS.map(([member, one]) => {
    const value = values[member] ?? ''
    const more = one.hint === undefined ? {} : { hint: one.hint }
    if (one.entry === 'choices') return tickedChoices(one, id(member), choices[member] ?? [])
    if (one.entry === 'codes') return html`<div>${field(id(member), one.title, { ...more, value })}</div>`
    if (one.entry !== 'cap') return html`<div>${textArea(id(member), one.title, value, more)}</div>`
    return html`<div>${field(id(member), one.title, { ...more, value })}
${field(id('cap_interval'), 'in a time of', { value: values.cap_interval ?? '1' })}
${choice(id('cap_unit'), 'Unit of that time', CAP_UNITS, values.cap_unit ?? 'days')}</div>`
  })
  return html`<div class="columns">${fields}</div>`
}

function tickedChoices({ title, options = [] }: TargetingField, id: string, ticked: readonly string[]): Html {
  const boxes = options.map(
    ([value, label]) =>
      html`<label class="option"><input type="checkbox" name="${id}" value="${value}"${attribute('checked', ticked.includes(value))}> ${label}</label>`,
  )
  return html`<fieldset><legend>${title}</legend>${boxes}</fieldset>`
}
