import { isObject } from './is-object.ts'

/** What a `$ref` names, and the document that the local references of that are relative to. */
export interface Referred {
  readonly schema: Readonly<Record<string, unknown>>
  readonly document: Readonly<Record<string, unknown>>
  /** The document's own reference; undefined for the document that holds the `$ref`. */
  readonly id: string | undefined
}

/**
 * Follows one `$ref` of a JSON Schema: another document, a JSON Pointer (RFC 6901) into this one or that one. `resolve` finds documents by absolute
 * reference without fragment. Undefined when there is nothing at the place.
 */
export function dereference(
  reference: string,
  document: Referred['document'],
  resolve: (id: string) => Referred['document'] | undefined,
): Referred | undefined {
  const [id = '', pointer = ''] = reference.split('#', 2)
  const target = id === '' ? document : resolve(id)
  if (target === undefined) return undefined
  let schema: unknown = target
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    schema = Array.isArray(schema)
      ? schema[Number(key)]
      : isObject(schema) && Object.hasOwn(schema, key)
        ? schema[key]
        : undefined
  }
  return isObject(schema) ? { schema, document: target, id: id === '' ? undefined : id } : undefined
}
