import type { GamClient, Message } from './client.ts'
import { messageOf, messagesOf, textOf } from './messages.ts'

/** A value of a custom field: of a drop-down list, the id of its option. */
export type CustomValue = string | number | boolean | { readonly option: string }

/** Values by the id of the custom field. */
export type CustomFields = Readonly<Record<string, CustomValue>>

/** JSON Schema of {@link CustomFields} in options. */
export const CUSTOM_FIELDS = {
  type: 'object',
  maxProperties: 50,
  propertyNames: { pattern: '^[0-9]{1,20}$' },
  additionalProperties: {
    anyOf: [
      { type: 'string', minLength: 1, maxLength: 255 },
      { type: 'number' },
      { type: 'boolean' },
      {
        type: 'object',
        additionalProperties: false,
        required: ['option'],
        properties: { option: { type: 'string', pattern: '^[0-9]{1,20}$' } },
      },
    ],
  },
} as const

/** `customFieldValues` of an order or a line item, sorted by the field. */
export function customFieldValues({ network }: Pick<GamClient, 'network'>, fields: CustomFields): readonly Message[] {
  return Object.entries(fields)
    .map(([id, value]) => ({ customField: `${network}/customFields/${id}`, value: typedValue(value) }))
    .sort(byField)
}

function typedValue(value: CustomValue): Message {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { numberValue: value }
  return typeof value === 'boolean' ? { toggleValue: value } : { dropdownValue: value.option }
}

/** The same of a message of the network; undefined: it has none. */
export function comparableCustomFields(message: Message): readonly Message[] | undefined {
  const found = messagesOf(message, 'customFieldValues').map((each) => {
    const { stringValue, numberValue, toggleValue, dropdownValue } = messageOf(each, 'value') ?? {}
    const value =
      dropdownValue !== undefined
        ? { dropdownValue: String(dropdownValue) }
        : Object.fromEntries(
            Object.entries({ stringValue, numberValue, toggleValue }).filter(([, member]) => member !== undefined),
          )
    return { customField: textOf(each, 'customField') ?? '', value }
  })
  return found.length === 0 ? undefined : found.sort(byField)
}

function byField(a: { readonly customField: string }, b: { readonly customField: string }): number {
  return a.customField < b.customField ? -1 : 1
}
