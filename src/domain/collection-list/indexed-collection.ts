import { isObject } from '../../protocol/is-object.ts'
import type { CollectionDocument } from '../product/products-file.ts'

/** Whether an entry of a foreign file has the parts of a collection that lists look at in their proper form; the others are ignored. */
export function isCollection(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & CollectionDocument {
  const { collection_id, name, kind, genre, genre_taxonomy, content_rating, production_quality, distribution } = value
  return (
    typeof collection_id === 'string' &&
    typeof name === 'string' &&
    [kind, genre_taxonomy, production_quality].every(isTextOrAbsent) &&
    (genre === undefined || (Array.isArray(genre) && genre.every((each) => typeof each === 'string'))) &&
    (content_rating === undefined || hasTexts(content_rating, 'system', 'rating')) &&
    (distribution === undefined || (Array.isArray(distribution) && distribution.every(isDistribution)))
  )
}

function isDistribution(value: unknown): boolean {
  return (
    hasTexts(value, 'publisher_domain') &&
    isObject(value) &&
    Array.isArray(value.identifiers) &&
    value.identifiers.every((each) => hasTexts(each, 'type', 'value'))
  )
}

function hasTexts(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'string')
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
