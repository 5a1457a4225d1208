import { isObject } from '../../../protocol/is-object.ts'

/** Members of an answer that was held against its schema. */
export type Body = Readonly<Record<string, unknown>>

export function textAt(body: Body, name: string): string {
  const value = body[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export function listAt(body: Body, name: string): readonly Body[] {
  const value = body[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textsAt(body: Body, name: string): readonly string[] {
  const value = body[name]
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

export function bodyAt(body: Body, name: string): Body {
  const value = body[name]
  return isObject(value) ? value : {}
}
