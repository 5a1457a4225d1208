type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : S

/** The same members under names as they are in JSON: `expiresAt` is `expires_at`. */
export type SnakeMembers<T> = { readonly [N in keyof T as N extends string ? Snake<N> : never]: T[N] }

/** The same object with its members renamed as in JSON (snake_case); values are unchanged. */
export function snakeMembers<T extends object>(value: T): SnakeMembers<T> {
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [snakeName(name), member])
  return Object.fromEntries(entries) as SnakeMembers<T>
}

function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
