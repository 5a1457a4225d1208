import type { Ask } from './ask.ts'
import { carriedIn } from './brief-hints.ts'
import type { PlanTargeting } from './limited-plan.ts'
import type { TakesTargeting } from './overlay-support.ts'
import { isAbout, nameOf } from './plan-draft.ts'
import type { Product } from './product.ts'

type Asked = Pick<Ask, 'carried' | 'ofParts'>

/** What an ask wants for a part, and that part is all of these products. */
function isOfAll({ of }: Ask['ofParts'][number], products: readonly Product[]): boolean {
  return of !== undefined && products.length > 0 && products.every((product) => isAbout(product, of))
}

/** The languages and the cap that an ask wants for all of these products, whether it names them or not. */
export function targetingAsked({ carried, ofParts }: Asked, products: readonly Product[]): PlanTargeting {
  const texts = ofParts.filter((part) => isOfAll(part, products)).map(({ text }) => text)
  return texts.length === 0 ? carried : { ...carried, ...carriedIn(texts.join('\n')) }
}

/** What an ask wants for a part alone, in its words. */
export function partTexts({ ofParts }: Asked, products: readonly Product[]): string[] {
  return ofParts.filter((part) => !isOfAll(part, products)).map(({ text }) => text)
}

const NAMES = { frequency_cap: 'a frequency cap', language: 'a language' } as const

/** Why an ask for targeting of a part alone is not carried out, and what has it. */
export function partRefusals({ ofParts }: Asked, products: readonly Product[], takes: TakesTargeting): string[] {
  return ofParts.flatMap((part) => {
    const { dimension, of, text } = part
    if (isOfAll(part, products)) return []
    if (!of) return [`"${text}": ${NAMES[dimension]} is for all places`]
    const meant = products.filter((product) => isAbout(product, of))
    const able = meant.filter((product) => takes(product, dimension)).map(({ id }) => id)
    if (meant.length === 0) return [`"${text}": nothing here is ${nameOf(of)}`]
    if (able.length === 0) return [`"${text}": no ${nameOf(of)} here takes ${NAMES[dimension]}`]
    return [
      `"${text}": ${NAMES[dimension]} is set for all of a plan or by package; send targeting_overlay.${dimension} of the packages of ${able.join(', ')}, of a bought proposal by update_media_buy`,
    ]
  })
}
