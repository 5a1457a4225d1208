import type { BuyerOrder } from '../../operator/orders/order-shapes.ts'
import { percent } from '../format.ts'
import { type Html, html } from '../html.ts'

/** Classes of console.css. */
const CLASS = { none: '', on_track: '', behind: 'under', ahead: 'over' } as const
const TEXT = { none: 'no delivery due', on_track: 'on track', behind: 'behind', ahead: 'ahead' } as const

/** What is delivered of the budget, with a line where the plan is by now. An SVG: widths need no style, which the policy forbids. */
export function pacingBar({ delivered, expected, state }: BuyerOrder['pacing']): Html {
  const text = `${percent(delivered)} delivered, ${percent(expected)} planned by now: ${TEXT[state]}`
  const [done, plan] = [delivered, expected].map((share) => Math.min(100, Math.max(0, share * 100)))
  return html`<svg class="pacing ${CLASS[state]}" role="img" aria-label="${text}" viewBox="0 0 100 8" preserveAspectRatio="none"><title>${text}</title><rect class="track" x="0" y="1" width="100" height="6" rx="1"></rect><rect class="done" x="0" y="1" width="${done ?? 0}" height="6" rx="1"></rect>${state !== 'none' && html`<rect class="now" x="${Math.min(99.2, plan ?? 0)}" y="0" width="0.8" height="8"></rect>`}</svg>`
}

/** The state of pacing in words. */
export function pacingText({ state }: BuyerOrder['pacing']): string {
  return TEXT[state]
}
