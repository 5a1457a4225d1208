import { minimumSpend, type Product } from './product.ts'

/**
 * Products of a kind are alike in all that ranking weighs beside their words: who may have them, channels, delivery type, places, least spends,
 * approval, and in what capabilities tell of all of them: pricing models and the metrics that they can be optimised for. Many products have few kinds, so what a brief makes of them is found once for each.
 */
export interface Kinds {
  /** Number of the kind of each product, by position in the publisher's order. */
  readonly kindOf: Uint32Array
  /** A product of each kind, by number. */
  readonly samples: readonly Product[]
  /** Those of them that are the kind of some product: kinds of products that were replaced keep their number. */
  readonly inUse: readonly Product[]
  readonly numbers: ReadonlyMap<string, number>
}

/** Takes products one after the other, in the publisher's order. */
export function createKinds(): { add(product: Product): void; build(): Kinds } {
  const samples: Product[] = []
  const numbers = new Map<string, number>()
  const kindOf: number[] = []
  return {
    add: (product) => void kindOf.push(numberOf(product, samples, numbers)),
    build: () => ({ kindOf: new Uint32Array(kindOf), samples, inUse: samples, numbers }),
  }
}

/** The kinds of products with others at some of its positions; the kinds given stay as they are. */
export function replaceKinds(before: Kinds, replaced: ReadonlyMap<number, Product>): Kinds {
  const [kindOf, samples, numbers] = [before.kindOf.slice(), [...before.samples], new Map(before.numbers)]
  for (const [position, product] of replaced) kindOf[position] = numberOf(product, samples, numbers)
  const used = new Set(kindOf)
  return { kindOf, samples, inUse: samples.filter((_sample, number) => used.has(number)), numbers }
}

function numberOf(product: Product, samples: Product[], numbers: Map<string, number>): number {
  const key = keyOf(product)
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, samples.length)
  return samples.push(product) - 1
}

function keyOf({ offer, selling }: Product): string {
  return JSON.stringify([
    [
      selling.status,
      selling.visibility,
      selling.exclusiveTo,
      selling.approval,
      selling.coverage.countries ?? null,
      selling.coverage.regions ?? null,
    ],
    [offer.channels ?? [], offer.delivery_type],
    offer.pricing_options.map((option) => [option.pricing_model, option.currency, minimumSpend(option)]),
    offer.metric_optimization?.supported_metrics ?? [],
  ])
}
