/** Light or dark: as the machine has it, until a person chooses. */
import { useState } from "react";

import { strings } from "../strings";
import { Icon } from "./icons";

const NAME = "headwater-theme";
type Theme = "light" | "dark";

function chosenTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  document.documentElement.dataset.theme = theme;
  // What Swagger UI goes by.
  document.documentElement.classList.toggle("dark-mode", theme === "dark");
}

export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const other = theme === "dark" ? "light" : "dark";
  function change() {
    localStorage.setItem(NAME, other);
    applyTheme(other);
    setTheme(other);
  }
  const label = other === "dark" ? strings.theme.toDark : strings.theme.toLight;
  return (
    <button type="button" className="quiet-button" onClick={change} aria-label={label} title={label}>
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}
