/** Digits of what is left of a product that a buyer sees. Every exact number, asked again after each order of somebody else, would tell how large that order was. */
const SHOWN_DIGITS = 2

/** What is left of a product, in impressions, as its buyers see it: rounded down to two significant digits, so that what is shown always fits. Never less than 0. */
export function shownRoom(impressions: number): number {
  const whole = Math.max(0, Math.floor(impressions))
  const unit = 10 ** Math.max(0, String(whole).length - SHOWN_DIGITS)
  return Math.floor(whole / unit) * unit
}
