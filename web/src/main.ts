document.title = "sotto";
