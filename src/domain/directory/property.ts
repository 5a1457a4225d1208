import { isObject } from '../../protocol/is-object.ts'
import { publisherDomain } from './publisher-domain.ts'

/** A property of a publisher as adagents.json declares it, in the form that resolution works on. */
export interface Property {
  /** `property_id`, or a stable id made from type and first identifier where the file gives none. */
  readonly id: string
  readonly tags: readonly string[]
  /** Canonical `publisher_domain`; undefined when the file leaves it to its location. */
  readonly publisherDomain: string | undefined
  readonly raw: Readonly<Record<string, unknown>>
}

export type Parsed<T> = { readonly value: T } | { readonly reason: string }

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string' && item !== '') : []
}

/**
 * Reads one property; a malformed one gives the reason, so that the walk can skip it alone.
 * Source: AdCP adagents.json, Property (`property_type`, `name` and `identifiers` are required).
 */
export function parseProperty(value: unknown): Parsed<Property> {
  if (!isObject(value)) return { reason: 'is not an object' }
  if (typeof value.property_type !== 'string' || value.property_type === '') return { reason: 'has no property_type' }
  if (typeof value.name !== 'string' || value.name === '') return { reason: 'has no name' }
  const first = firstIdentifier(value.identifiers)
  if (!first) return { reason: 'has no usable identifiers' }
  const explicit = value.publisher_domain === undefined ? undefined : publisherDomain(value.publisher_domain)
  if (value.publisher_domain !== undefined && explicit === undefined)
    return { reason: 'has a publisher_domain that is no domain' }
  const id = value.property_id
  if (id !== undefined && !isUsableId(id)) return { reason: 'has a property_id that is not a short string' }
  return {
    value: {
      id: id ?? syntheticPropertyId(value.property_type, first.type, first.value),
      tags: stringsOf(value.tags),
      publisherDomain: explicit,
      raw: value,
    },
  }
}

/**
 * Id of a property that carries none: `auto_<property_type>_<identifier type>_<identifier value>`, where every byte
 * outside `[a-z0-9]` of the value is written `_xx` in hex. It fits the protocol's id pattern and is the same on every
 * refresh, so that counts and ids of the directory always speak of the same population.
 */
export function syntheticPropertyId(propertyType: string, identifierType: string, identifierValue: string): string {
  return `auto_${[propertyType, identifierType, identifierValue].map(encode).join('_')}`
}

function encode(text: string): string {
  return [...new TextEncoder().encode(text.toLowerCase())]
    .map((byte) => (isAlphanumeric(byte) ? String.fromCharCode(byte) : `_${byte.toString(16).padStart(2, '0')}`))
    .join('')
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39)
}

function isUsableId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 255 && !/\s/.test(value)
}

function firstIdentifier(value: unknown): { type: string; value: string } | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  for (const item of value) {
    if (!isObject(item) || typeof item.type !== 'string' || typeof item.value !== 'string' || item.value === '') return undefined
  }
  const first: unknown = value[0]
  if (!isObject(first)) return undefined
  return { type: String(first.type), value: String(first.value) }
}
