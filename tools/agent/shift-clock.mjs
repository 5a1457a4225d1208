// Preload (`node --import`) that shifts `Date` by TEST_CLOCK_SHIFT_MS milliseconds, and does nothing without it.
// The storyboards of AdCP 3.0.6 name calendar dates; once such a date is past, the official runner replaces it by "now" on each
// call, so that a replay no longer equals its original. Judge and server therefore run with one clock, both shifted by the same amount.
// Plain JavaScript: the built server is started by `node` alone.
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS ?? '0')

if (Number.isFinite(shiftMs) && shiftMs !== 0) {
  const RealDate = globalThis.Date
  const now = () => RealDate.now() + shiftMs
  const ShiftedDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget === ShiftedDate ? target : newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
  RealDate.prototype.constructor = ShiftedDate
  globalThis.Date = ShiftedDate
}
