import type { Schema } from '../protocol/schemas.ts'

/** A setting: its path and its schema. */
export interface Setting {
  readonly path: readonly string[]
  readonly schema: Schema
}

/** Every setting of the configuration schema, in its order. */
export function settingsOf(schema: Schema, path: readonly string[] = []): Setting[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>
  return Object.entries(properties).flatMap(([key, child]) =>
    child.type === 'object' ? settingsOf(child, [...path, key]) : [{ path: [...path, key], schema: child }],
  )
}

/** What the text of an environment variable represents; text that is no value of the schema's type stays, for the check to name. */
export function readText(text: string, schema: Schema): unknown {
  if (schema.type === 'integer' || schema.type === 'number')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (schema.type === 'boolean') return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  if (schema.type === 'array') return text === '' ? [] : text.split(',').map((part) => part.trim())
  return text
}

/** Sets the value at a path; objects on the way are copied. */
export function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path
  if (head === undefined) return
  if (rest.length === 0) {
    target[head] = value
    return
  }
  const inner = target[head]
  const child: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {}
  target[head] = child
  setPath(child, rest, value)
}

/** Adds the schema's defaults where nothing is set; objects on the way are copied. */
export function fillDefaults(target: Record<string, unknown>, schema: Schema): void {
  for (const [key, child] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)) {
    if (target[key] === undefined && child.default !== undefined) target[key] = structuredClone(child.default)
    const value = target[key]
    if (child.type !== 'object' || typeof value !== 'object' || value === null || Array.isArray(value)) continue
    const copy = { ...value }
    target[key] = copy
    fillDefaults(copy, child)
  }
}
