/** A browser as far as a login needs one: cookies, redirects, forms. */
export class OauthBrowser {
  readonly #origin: string
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Follows redirects within the server; stops at a page, or at an address elsewhere. */
  async open(url: string, init: RequestInit = {}): Promise<{ status: number; location: URL; html: string; headers: Headers }> {
    let next = new URL(url, this.#origin)
    let request: RequestInit = init
    for (let hops = 0; hops < 10; hops += 1) {
      if (next.origin !== this.#origin) return { status: 302, location: next, html: '', headers: new Headers() }
      const response = await fetch(next, {
        ...request,
        redirect: 'manual',
        headers: { ...request.headers, cookie: this.#cookieHeader(next.pathname) },
      })
      for (const line of response.headers.getSetCookie()) this.#keep(line)
      const location = response.headers.get('location')
      const { status, headers } = response
      if (location === null) return { status, headers, location: next, html: await response.text() }
      await response.body?.cancel()
      next = new URL(location, next)
      request = {}
    }
    throw new Error(`${url} redirects for ever`)
  }

  /** Sends the form of a page whose action ends with `step`. */
  submit(html: string, step: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const action = [...html.matchAll(/action="([^"]+)"/g)]
      .map((match) => match[1] ?? '')
      .find((each) => each.endsWith(`/${step}`))
    if (action === undefined) throw new Error(`no form for ${step} in ${html}`)
    return this.open(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin, ...headers },
      body: new URLSearchParams(fields).toString(),
    })
  }

  /** Logs in and agrees; gives the address that the client is sent to. */
  async authorize(url: string, username: string, password: string): Promise<URL> {
    let page = await this.open(url)
    if (page.html.includes('name="password"')) page = await this.submit(page.html, 'login', { username, password })
    if (page.html.includes('/confirm"')) page = await this.submit(page.html, 'confirm')
    if (page.html !== '') throw new Error(`the login ended on a page: ${page.status} ${page.html}`)
    return page.location
  }

  #cookieHeader(path: string): string {
    const sent = [...this.#cookies].filter(([, cookie]) => path.startsWith(cookie.path))
    return sent.map(([name, cookie]) => `${name}=${cookie.value}`).join('; ')
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const path = attributes.find((each) => each.startsWith('path='))?.slice(5) ?? '/'
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path })
  }
}
