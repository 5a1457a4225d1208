import { channelsIn } from './brief-channels.ts'
import type { Product } from './product.ts'

/** Budget that an example names, major units. */
const BUDGET = '20,000'

/** The channels of a product by whose names an ask finds them. */
function namedChannels({ offer }: Product): readonly string[] {
  return (offer.channels ?? []).filter((channel) => channelsIn(channel).includes(channel))
}

/** Asks that can be carried out, in the channels and the currency of a plan: what it does not have would be refused again. */
export function askExamples(planned: readonly Product[], currency: string | undefined): string {
  const [one] = planned.flatMap(namedChannels)
  const [other] = planned
    .filter(({ offer }) => one !== undefined && !offer.channels?.some((channel) => channel === one))
    .flatMap(namedChannels)
  const examples = [
    ...(other === undefined ? [] : [`${one} to 40%`, `move 10% from ${other} to ${one}`, `halve ${other}`, `drop ${other}`]),
    ...(planned.length > 1 ? ['equal shares'] : []),
    ...(currency === undefined ? [] : [`a budget of ${BUDGET} ${currency}`]),
    '5% off',
  ]
  return examples.map((example) => `"${example}"`).join(', ')
}
