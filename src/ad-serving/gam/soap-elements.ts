import { SOAP_TYPE } from '../../platform/decode/soap-element.ts'
import type { XmlValue } from '../../platform/decode/write-xml.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Message } from './client.ts'

/** Parameters of a call, by name, in the order in which the schema of the API has them. */
export type SoapParameters = { readonly [name: string]: XmlValue }

/** The child of a name with children; an element without any is empty, and undefined where it is absent. */
export function childOf(element: Message, name: string): Message | undefined {
  const value = element[name]
  if (isObject(value)) return value
  return value === '' ? {} : undefined
}

/** The children of a name that have children, one or several. */
export function elementsOf(element: Message, name: string): readonly Message[] {
  const value = element[name]
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}

/** The texts of a name, one or several. */
export function textsIn(element: Message, name: string): readonly string[] {
  const value = element[name]
  return (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string' && each !== '')
}

/** The type that an element names, e.g. `ImageCreative`. */
export function typeOf(element: Message): string | undefined {
  const value = element[SOAP_TYPE]
  return typeof value === 'string' ? value : undefined
}

/** Attribute with which an element names its type in a request. */
export function typed(name: string): { readonly '@xsi:type': string } {
  return { '@xsi:type': `p:${name}` }
}

/** A query of PQL (https://developers.google.com/ad-manager/api/pqlreference), its values bound by name, so that no text is part of it. */
export function statement(query: string, values: Readonly<Record<string, string>> = {}): SoapParameters {
  const bound = Object.entries(values).map(([key, value]) => ({ key, value: { ...typed('TextValue'), value } }))
  return { query, ...(bound.length > 0 && { values: bound }) }
}
