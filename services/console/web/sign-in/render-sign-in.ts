// The page at the door: where a person signs in, and why not.

import { html } from "hono/html";
import type { Html } from "../parts/html.ts";
import { renderDocument } from "../parts/layout.ts";

/** The ways in. */
export interface SignInWays {
  /** Host of the provider; null: there is none. */
  readonly provider: string | null;
  readonly takesTokens: boolean;
}

export function renderSignIn(next: string, problem: string | null, { provider, takesTokens }: SignInWays): Html {
  return renderDocument(
    "Sign in",
    html`<main id="main" class="door">
      <h1>Sluice</h1>
      ${problem === null ? "" : html`<p class="problem" role="alert">${problem}</p>`}
      ${provider === null ? "" : renderProvider(next, provider)} ${takesTokens ? renderTokenForm(next, provider === null) : ""}
    </main>`,
  );
}

function renderProvider(next: string, provider: string): Html {
  return html`<p>
      Sign in at ${provider}, with your second factor. The browser keeps a session that ends after 15 minutes without use, or 8 hours.
    </p>
    <p><a class="button" href="/sign-in/begin?next=${encodeURIComponent(next)}">Sign in at ${provider}</a></p>`;
}

function renderTokenForm(next: string, isOnlyWay: boolean): Html {
  return html`${
      isOnlyWay
        ? html`<p>
            Sign in with your operator's token. It is sent once; the browser keeps a session that ends after 15 minutes without use, or 8
            hours.
          </p>`
        : html`<p>Or with your operator's token:</p>`
    }
    <form method="post" action="/sign-in">
      <input type="hidden" name="next" value="${next}" />
      <label for="token">Token</label>
      ${
        isOnlyWay
          ? html`<input id="token" name="token" type="password" autocomplete="current-password" required maxlength="1024" autofocus />`
          : html`<input id="token" name="token" type="password" autocomplete="current-password" required maxlength="1024" />`
      }
      <button class="main">Sign in</button>
    </form>`;
}

/** For a browser that does not follow the header `refresh`. */
export function renderWayOn(location: string, said: string): Html {
  return renderDocument(
    said,
    html`<main id="main" class="door">
      <h1>Sluice</h1>
      <p>${said}. <a href="${location}">Go on</a></p>
    </main>`,
  );
}
