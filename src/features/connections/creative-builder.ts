import { isObject } from '../../protocol/is-object.ts'
import type { BuiltCreative, CreativeBuilder } from '../creatives/creative-builder.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readText } from './read-answer.ts'

/** A builder of creatives of the publisher's own. What it builds is judged like what a buyer sends. */
export function checkedBuilder(inner: CreativeBuilder, call: CallSystem): CreativeBuilder {
  const { name, description, transformers = [] } = inner
  return {
    name,
    description,
    transformers,
    build: (job) => call('build', () => inner.build(job), readBuilt),
  }
}

function readBuilt(answer: unknown): BuiltCreative {
  const { assets, notes = [], items = [] } = readObject(answer, 'the answer')
  if (!isAssets(assets)) throw new TypeError('assets must be an object of assets with asset_type')
  return {
    assets,
    notes: readList(notes, 'notes').map((note, index) => readText(note, `note ${index}`)),
    items: readList(items, 'items').map((item, index) => {
      const { name, html } = readObject(item, `item ${index}`)
      return { name: readText(name, `name of item ${index}`), html: readText(html, `html of item ${index}`) }
    }),
  }
}

function isAssets(value: unknown): value is BuiltCreative['assets'] {
  return isObject(value) && Object.values(value).every((asset) => isObject(asset) && typeof asset.asset_type === 'string')
}

/** What is wrong with the transformers that a module offers; absent: it offers none. */
export function transformerFaults(transformers: unknown = []): readonly string[] {
  try {
    for (const [index, item] of readList(transformers, 'transformers').entries()) {
      const what = `transformer ${index}`
      const { id, name, description, keywords, params, takes, makes, themes } = readObject(item, what)
      for (const [member, text] of Object.entries({ id, name, description })) readText(text, `${member} of ${what}`)
      for (const [member, list] of Object.entries({ keywords, params })) readList(list, `${member} of ${what}`)
      for (const [member, method] of Object.entries({ takes, makes }))
        if (typeof method !== 'function') throw new TypeError(`${member} of ${what} must be a function`)
      if (!(themes instanceof Map)) throw new TypeError(`themes of ${what} must be a Map of configurations by their names`)
    }
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
