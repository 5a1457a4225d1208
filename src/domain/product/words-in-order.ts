/** Whether something that `then` finds comes after what `first` finds, in one pass: `first.*then` would begin anew at each `first`. */
export function inOrder(text: string, first: RegExp, then: RegExp): boolean {
  const from = text.search(first)
  return from >= 0 && then.test(text.slice(from))
}
